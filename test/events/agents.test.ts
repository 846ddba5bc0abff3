import test from 'ava';
import { createRobotCheck } from '../../src/events/robots.ts';

const isRobot = createRobotCheck();

const agents: [agent: string | undefined, robot: boolean][] = [
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', true],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', true],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', true],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
    true,
  ],
  ['my-crawler/1.0', true],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    false,
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    false,
  ],
  ['curl/8.5.0', false],
  ['axios/1.7.2', false],
  ['grpc-node-js/1.14.7', false],
  ['okhttp/4.12.0', false],
  ['', false],
  [undefined, false],
];

for (const [agent, robot] of agents) {
  test(`${agent === '' ? 'an empty agent' : agent} is ${robot ? 'a robot' : 'none'}`, (t) => {
    t.is(isRobot(agent), robot);
    t.is(isRobot(agent), robot);
  });
}
