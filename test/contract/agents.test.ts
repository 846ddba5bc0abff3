/** Programs that name themselves in `User-Agent`: answers and the health check name their class. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - { name: shop, item_types: [{ name: product }] }
  - { name: lab, item_types: [{ name: product }], visitor_agents: [automation] }
`);

const headless = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/147.0.0.0 Safari/537.36';
const assistant = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0)';

type Named = { agent?: string; user_group?: string };
type Finding = { check: string; subject: string; severity: string; description: string };

test.before('store a configuration', async () => {
  const http = createJsonClient(service);
  await http.put('/configurations/home', {});
  for (const environment of ['shop', 'lab'])
    await http.put(`/${environment}/items/product/boots`, { title: 'Boots' });
});

for (const [environment, userAgent, agent, group, pageviews] of [
  ['shop', headless, 'automation', 'blacklist', 0],
  ['shop', assistant, 'assistant', 'blacklist', 0],
  ['lab', headless, 'automation', 'recommender', 1],
  ['lab', assistant, 'assistant', 'blacklist', 1],
] as const)
  test.serial(`${environment}: ${agent} gets lists of ${group}`, async (t) => {
    const http = createJsonClient(service);
    const post = async (path: string, body: object) =>
      (await http.post<Named>(`/${environment}${path}`, body, { 'user-agent': userAgent })).body;
    const visitor = { device_id: agent, page_type: 'home' };
    const view = { event_type: 'detail_pageview', ...visitor, action_item: 'boots' };
    t.like(await post('/events', { events: [view] }), { accepted_count: 1, agent });
    const lists = [{ configuration_id: 'home', list_name: 'l', list_size: 1 }];
    const named = { agent, user_group: group };
    t.like(await post('/recommendations/requests', { ...visitor, lists }), named);
    t.like(await post('/searches/requests', { ...visitor, q: 'boots' }), named);
    const { body } = await http.get<{ results: { value: number }[] }>(
      `/metrics/pageviews?environment=${environment}`,
    );
    t.is(
      body.results.reduce((sum, { value }) => sum + value, 0),
      pageviews,
    );
  });

test('a visitor has no class', async (t) => {
  const http = createJsonClient(service);
  const request = { device_id: 'd', page_type: 'search', q: 'boots' };
  const { body } = await http.post<Named>('/shop/searches/requests', request, { 'user-agent': 'curl/8' });
  t.false('agent' in body);
});

test.serial('the health check reports both classes, and whether they count', async (t) => {
  const http = createJsonClient(service);
  const findingsOf = async (environment: string) => {
    const { body } = await http.get<{ findings: Finding[] }>(`/${environment}/diagnosis?notices=true`);
    const found = body.findings.filter(({ check }) => check === 'agents');
    return found.map(({ subject, severity, description }) => [
      subject,
      severity,
      /they (\w+)/.exec(description)?.[1],
    ]);
  };
  t.deepEqual(await findingsOf('shop'), [
    ['automation', 'fault', 'get'],
    ['assistant', 'fault', 'get'],
  ]);
  t.deepEqual((await findingsOf('lab')).toSorted(), [
    ['assistant', 'fault', 'get'],
    ['automation', 'notice', 'count'],
  ]);
});
