import test from 'ava';
import { type AgentClass, classifyAgent, createAgents } from '../../src/events/agents.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';

const agents: [agent: string, expected: AgentClass | undefined][] = [
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'crawler'],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'crawler'],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'crawler'],
  [`${chrome}; compatible; GPTBot/1.2; +https://openai.com/gptbot`, 'crawler'],
  ['Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 'crawler'],
  ['my-crawler/1.0', 'crawler'],
  [`${chrome} HeadlessChrome/120.0.0.0 Safari/537.36`, 'automation'],
  [`${chrome} HeadlessEdg/120.0.0.0 Safari/537.36`, 'automation'],
  [`${chrome} Cypress/13.6.0 Chrome/118.0.5993.159 Electron/27.1.3 Safari/537.36`, 'automation'],
  ['Playwright/1.40 (x64; ubuntu 22.04) node/20', 'automation'],
  [`${chrome}; compatible; ChatGPT-User/1.0; +https://openai.com/bot`, 'assistant'],
  [`${chrome}; compatible; Claude-User/1.0; +Claude-User@anthropic.com`, 'assistant'],
  ['Mozilla/5.0 (compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)', 'assistant'],
  ['MistralAI-User/1.0', 'assistant'],
  ['DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)', 'assistant'],
  [`${chrome} Chrome/126.0.0.0 Safari/537.36`, undefined],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    undefined,
  ],
  ['curl/8.5.0', undefined],
  ['axios/1.7.2', undefined],
  ['grpc-node-js/1.14.7', undefined],
  ['okhttp/4.12.0', undefined],
  ['my-app/1.0 (end-user)', undefined],
  ['headless-commerce-backend/2.1', undefined],
  ['', undefined],
];

for (const [agent, expected] of agents) {
  test(`${agent || 'an empty agent'}: ${expected ?? 'no robot'}`, (t) => {
    t.is(classifyAgent(agent), expected);
  });
}

test('counts of calls are of this hour and the one before', (t) => {
  let nowMs = 0;
  const judged = createAgents(() => nowMs);
  const settings = { name: 'shop', visitorAgents: new Set<string>() };
  const crawlersSeen = () => judged.countsOf('shop').crawler;
  judged.judge(settings, 'Googlebot/2.1');
  judged.judge(settings);
  t.deepEqual(judged.countsOf('shop'), { visitor: 1, crawler: 1, automation: 0, assistant: 0 });
  nowMs = 3_600_000;
  judged.judge(settings, 'Googlebot/2.1');
  t.is(crawlersSeen(), 2);
  nowMs = 3 * 3_600_000;
  t.is(crawlersSeen(), 0);
});
