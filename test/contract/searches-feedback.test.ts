/** Feedback of searches through the whole service: clicks order results, and queries are counted for operators. */

import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { shopDeployment } from '../support/service.ts';
import { idsOf, type Results, searchShop } from './support/searching.ts';
import { startSecondNode } from './support/second-node.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http = createJsonClient(service);
const rpc = createClient(SearchService, createAdminTransport(service));

const search = (q: string, given: object = {}, client = http) => searchShop(client, q, given);

const stock = async (titles: Record<string, string>) => {
  for (const [id, title] of Object.entries(titles)) await http.put(`/shop/items/product/${id}`, { title });
};

/** Events of a page that shows results to a visitor who clicks one. */
async function report(results: Results, device: string, clicked: string): Promise<void> {
  const common = {
    page_type: 'search',
    device_id: device,
    user_id: device,
    list_name: 'results',
    action_item_type: 'product',
    request_id: results.request_id,
  };
  const events = [
    ...idsOf(results).map((id) => ({ ...common, event_type: 'search_impression', action_item: id })),
    { ...common, event_type: 'search_click_on_recommendation', action_item: clicked },
  ];
  const answer = await http.post('/shop/events', { events });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/** Repeats until the answer is as expected, within the time of the test. */
async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  while (true) {
    const value = await read();
    if (holds(value)) return value;
    await delay(100);
  }
}

/** Click score of each result by ID, without popularity, which other events change, too. */
async function clickScores(
  q: string,
  baseUrl = `http://${service.grpcAddress}`,
): Promise<Map<string, number>> {
  const { explanation } = await createClient(
    SearchService,
    createAdminTransport(service, baseUrl),
  ).createSearch({
    environment: 'shop',
    request: { q, deviceId: 'd', pageType: 'search', limit: 20 },
    explain: true,
  });
  return new Map(explanation!.lists[0].items.map(({ itemId, clickScore }) => [itemId, clickScore]));
}

test('clicked results come first for their query only, on every node and after a restart', async (t) => {
  await stock({
    k1: 'Copper kettle',
    k2: 'Copper kettle',
    k3: 'Copper kettle',
    k4: 'Kettle, copper, with a lid',
  });
  const before = idsOf(await search('copper kettle'));
  const last = before.filter((id) => id !== 'k4').at(-1)!;
  for (const visitor of ['a', 'b', 'c', 'd', 'e', 'f'])
    await report(await search('Copper  Kettle'), visitor, last);
  const after = await until(
    async () => idsOf(await search('copper kettle')),
    (ids) => ids[0] === last,
  );
  t.deepEqual(after.toSorted(), before.toSorted());
  t.is(after.at(-1), 'k4', 'clicks order equals, they do not lift one over a better tier');
  const scores = await until(
    () => clickScores('copper kettle'),
    (found) => found.get(last)! > 0,
  );
  t.true(scores.get(after[1])! < 0);
  t.true([...(await clickScores('kettle')).values()].every((score) => score === 0));
  const node = await startSecondNode(service, shopDeployment);
  t.teardown(node.stop);
  t.true((await clickScores('copper kettle', node.grpcUrl)).get(last)! > 0);
});

test('a hundred clicks of one visitor change nothing', async (t) => {
  await stock({ l1: 'Brass lantern', l2: 'Brass lantern', m1: 'Marker stone', m2: 'Marker stone' });
  const results = await search('brass lantern');
  for (let round = 0; round < 20; round++) await report(results, 'eager', 'l1');
  for (const visitor of ['a', 'b', 'c', 'd', 'e']) await report(await search('marker stone'), visitor, 'm1');
  await until(
    () => clickScores('marker stone'),
    (found) => found.get('m1')! > 0,
  );
  t.deepEqual(
    [...(await clickScores('brass lantern')).values()],
    [0, 0],
    'events before those had no effect',
  );
});

async function queriesOf(environment: string, withoutResults: boolean) {
  const headers = { authorization: service.authorization };
  const { queries } = await rpc.listSearchQueries(
    { environment, withoutResults, pageSize: 1000 },
    { headers },
  );
  return queries;
}

test('a query with an item ID finds the item', async (t) => {
  await stock({ 'qj-4711-zx': 'Wicker chair' });
  await search('qj-4711-zx');
  t.like(
    (await queriesOf('shop', false)).find(({ query }) => query.startsWith('qj')),
    { searches: 1, withoutResults: 0 },
  );
});

test('queries are counted as typed, and those without results are listed separately', async (t) => {
  await stock({ w1: 'Wicker basket' });
  for (const q of ['Wicker basket', 'wicker  BASKET!', 'zzyzx qwrtp', 'zzyzx qwrtp', 'ZZYZX qwrtp', 'vvxxq'])
    await search(q);
  const failed = (await queriesOf('shop', true)).filter(({ query }) => /zzyzx|vvxxq|wicker/.test(query));
  t.deepEqual(
    failed.map(({ query, searches, withoutResults }) => [query, searches, withoutResults]),
    [
      ['zzyzx qwrtp', 3, 3],
      ['vvxxq', 1, 1],
    ],
  );
  const all = await queriesOf('shop', false);
  t.like(
    all.find(({ query }) => query === 'wicker basket'),
    { searches: 2, withoutResults: 0 },
  );
  t.deepEqual(
    all.map(({ searches }) => searches),
    all.map(({ searches }) => searches).toSorted((a, b) => b - a),
  );
  const [{ firstSearchedAt, lastSearchedAt }] = failed;
  t.true(firstSearchedAt!.seconds <= lastSearchedAt!.seconds);
  t.deepEqual(await queriesOf('news', false), []);
});

test('robots, long texts, addresses and empty queries are not counted', async (t) => {
  await http.post(
    '/shop/searches/requests',
    { q: 'xqrobot', page_type: 'search', device_id: 'd' },
    { 'user-agent': 'Googlebot/2.1' },
  );
  await search('jane.doe@example.org');
  await search(`xqlong ${'x'.repeat(200)}`);
  await search('');
  const texts = (await queriesOf('shop', false)).map(({ query }) => query);
  t.deepEqual(
    texts.filter((query) => query === '' || /jane|xqlong|xqrobot/.test(query)),
    [],
  );
});
