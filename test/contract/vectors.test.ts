/** Vectors of items over the interface: declared, stored, found by lists and searches under all rules. */

import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import type { JsonClient } from '../support/json-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createModels } from './support/models.ts';
import { createShop, type Document, type Recommendations, type Shop, where } from './support/shops.ts';

const names = ['lists', 'rules', 'others', 'weights', 'mixed', 'writes', 'refusals', 'searches', 'explained'];

const deployment = `environments:${names
  .map(
    (name) => `
  - name: ${name}
    filter_fields: [brand]
    item_types:
      - name: picture
        properties: [ { name: brand, type: string, returnable: true, filterable: true } ]
        vectors: [ { name: look, dimensions: 4 }, { name: worth, dimensions: 2, metric: dot } ]`,
  )
  .join('')}
`;

let service: TestService;

const shops = { openNamed: (name: string) => createShop(service, name) };

/** Threads have no vectors: they get the similar items with the request. */
async function threadIsReady(): Promise<boolean> {
  const answer = await fetch(new URL('/readyz', service.baseUrl));
  return ((await answer.json()) as { checks: Record<string, string> }).checks.threads === 'ok';
}

test.before(async () => {
  const watch = { listThreads: 1 };
  service = await startTestService({ teardown: () => undefined }, deployment, { watch });
  while (!(await threadIsReady())) await delay(20);
});

test.after.always(() => service?.stop());

/** `angle` in degrees; neighbours have near angles. */
function lookAt(angle: number): number[] {
  const radians = (angle * Math.PI) / 180;
  return [Math.cos(radians) * 5, Math.sin(radians) * 5, 0, 0];
}

/** `p0` … `p11`, 10 degrees apart; even ones of the brand acme. */
const circle = (): Document[] =>
  Array.from({ length: 12 }, (_, i) => ({
    item_id: `p${i}`,
    title: `Picture ${i}`,
    brand: i % 2 === 0 ? 'acme' : 'zeta',
    look: lookAt(i * 10),
  }));

const query = (angle: number) => ({ name: 'look', values: lookAt(angle) });

async function listOf(shop: Shop, queryVector: Document, rest: Document = {}): Promise<string[]> {
  const configuration = await shop.configure({ constraints: [], ...rest });
  return shop.list({ configuration_id: configuration, list_size: 3 }, { query_vector: queryVector });
}

test('lists begin with the most similar items', async (t) => {
  const shop = shops.openNamed('lists');
  await shop.stock('picture', circle());
  t.deepEqual(await listOf(shop, query(41)), ['p4', 'p5', 'p3']);
  t.deepEqual(await listOf(shop, { name: 'look', like: ['p8'] }), ['p9', 'p7', 'p10']);
  t.deepEqual(await listOf(shop, { name: 'look', like: ['p5', 'unknown'], unlike: ['p0'] }), [
    'p8',
    'p7',
    'p9',
  ]);
  const item = await shop.http.get('/lists/items/picture/p3');
  t.deepEqual((item.body as Document).look, lookAt(30));
});

test('an answer explains similarity, reports its time, and its pages continue it', async (t) => {
  const shop = shops.openNamed('rules');
  await shop.stock('picture', circle());
  const id = await shop.configure({ constraints: [] });
  const list = { configuration_id: id, list_name: 'l', list_size: 6, limit: 2 };
  const response = await fetch(`${service.baseUrl}/rules/recommendations/requests`, {
    method: 'POST',
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ device_id: 'd', page_type: 'home', lists: [list], query_vector: query(41) }),
  });
  t.regex(String(response.headers.get('server-timing')), /vectors;dur=/);
  const { lists } = (await response.json()) as Recommendations;
  const [{ list_key: key }] = lists;
  const page = await shop.page(key, 3, 2);
  t.deepEqual(
    page.body.lists[0].items.map(({ item_id: one }) => one),
    ['p3', 'p6'],
  );
  await shop.http.put('/rules/items/picture/p6', { title: 'Other', brand: 'acme' });
  await shop.http.send('DELETE', '/rules/items/picture/p2');
  const filled = await shop.page(key, 1, 6);
  const shown = filled.body.lists[0].items.map(({ item_id: one }) => one);
  t.is(shown.length, 6);
  t.false(shown.includes('p2'));
});

test('all rules of the configuration hold', async (t) => {
  const shop = shops.openNamed('others');
  await shop.stock('picture', circle());
  await shop.stock('picture', [
    { item_id: 'later', look: lookAt(41), publication_datetime: '2999-01-01T00:00:00Z' },
  ]);
  const constraints = [{ query: where('brand', 'zeta') }];
  t.deepEqual(await listOf(shop, query(41), { constraints }), ['p5', 'p3', 'p7']);
  t.deepEqual(await listOf(shop, { name: 'look', like: ['p4'], unlike: ['p0'] }, { constraints }), [
    'p7',
    'p5',
    'p9',
  ]);
});

const mergePatch = { 'content-type': 'application/merge-patch+json' };

test('written, disabled and deleted items change the answer; environments are apart', async (t) => {
  const shop = shops.openNamed('writes');
  await shop.stock('picture', circle());
  const { http } = shop;
  await http.put('/writes/items/picture/p4', { title: 'Moved', look: lookAt(100) });
  t.deepEqual(await listOf(shop, query(41)), ['p5', 'p3', 'p6']);
  t.is((await http.send('PATCH', '/writes/items/picture/p4', { look: lookAt(41) }, mergePatch)).status, 200);
  t.deepEqual(await listOf(shop, query(41)), ['p4', 'p5', 'p3']);
  await http.send('DELETE', '/writes/items/picture/p5?purge=true');
  await http.put('/writes/items/picture/p3', { title: 'Without' });
  t.deepEqual(await listOf(shop, query(41)), ['p4', 'p6', 'p2']);
  const environments = (await http.get('/environments')).body as { environments: Document[] };
  const held = environments.environments.find(({ name }) => name === 'writes')!.vectors as Document[];
  t.is(held.find(({ name }) => name === 'look')!.item_count, 10);
  t.is(held.find(({ name }) => name === 'look')!.metric, 'cosine');
  const others = environments.environments.find(({ name }) => name === 'refusals')!.vectors as Document[];
  t.is(others.find(({ name }) => name === 'look')!.item_count, 0);
});

test('explanations name similarity and the items that the answer should resemble', async (t) => {
  const shop = shops.openNamed('explained');
  const { environment } = shop;
  await shop.stock('picture', circle());
  const configurationId = await shop.configure({ constraints: [] });
  const transport = createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` });
  const options = { headers: { authorization: service.authorization } };
  const queryVector = { name: 'look', like: ['p4'], values: lookAt(50) };
  const subject = { deviceId: 'anonymous', pageType: 'home', doNotStore: true };
  const { explanations, outcomes } = await createClient(
    RecommendationService,
    transport,
  ).createRecommendations(
    {
      environment,
      request: { ...subject, queryVector, lists: [{ configurationId, listName: 'l', listSize: 12 }] },
      explain: true,
    },
    options,
  );
  const [first] = explanations[0].items;
  t.deepEqual([first.itemId, first.step, first.source], ['p5', 'vector', 'models']);
  t.deepEqual(
    first.parts.map(({ model, reasonItemIds }) => [model, reasonItemIds]),
    [['vector', ['p4']]],
  );
  t.true(Math.abs(first.score - Math.cos((5 * Math.PI) / 180)) < 0.01, `${first.score}`);
  t.is(outcomes[0].steps[0].step, 'vector');
  const answer = await createClient(SearchService, transport).createSearch(
    {
      environment,
      request: { ...subject, q: 'picture 5', queryVector: { name: 'look', values: lookAt(41) } },
      explain: true,
      whyNot: [{ itemId: 'p11' }],
    },
    options,
  );
  const [best] = answer.explanation!.lists[0].items;
  t.deepEqual([best.itemId, best.tier], ['p5', 'fused']);
  t.is(best.score, 1 / 61 + 1 / 62);
  t.true(Math.abs(best.similarity! - Math.cos((9 * Math.PI) / 180)) < 0.01);
  t.is(answer.explanation!.whyNot[0].reason, 'outranked');
});

async function found(http: JsonClient, body: Document): Promise<string[]> {
  const request = { page_type: 'search', device_id: 'anonymous', limit: 3, ...body };
  const answer = await http.post('/searches/searches/requests', request);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const { lists } = answer.body as { lists: { items: { item_id: string }[] }[] };
  return lists.flatMap(({ items }) => items.map(({ item_id: id }) => id));
}

test('searches mix words and similarity under their filters', async (t) => {
  const { http, stock } = shops.openNamed('searches');
  await stock('picture', circle());
  await stock('picture', [{ item_id: 'word', title: 'Harbour at night', brand: 'zeta' }]);
  t.deepEqual(await found(http, { q: '', query_vector: query(41) }), ['p4', 'p5', 'p3']);
  t.deepEqual(await found(http, { q: 'harbour', query_vector: query(41) }), ['word', 'p4', 'p5']);
  t.deepEqual(await found(http, { q: 'picture 5', query_vector: query(41) }), ['p5', 'p4', 'p3']);
  const filter = { filter_by: { brand: 'zeta' } };
  t.deepEqual(await found(http, { q: '', query_vector: query(41), ...filter }), ['p5', 'p3', 'p7']);
  t.deepEqual(await found(http, { q: 'nothing', query_vector: { name: 'look', like: ['p4'] }, ...filter }), [
    'p5',
    'p3',
    'p7',
  ]);
  const faceted = {
    ...{ q: 'harbour', page_type: 'search', device_id: 'anonymous', limit: 3, query_vector: query(41) },
    facets: [{ key: 'brand' }],
  };
  type Faceted = { total_size: number; facets: { values: { value: string; count: number }[] }[] };
  const { body } = await http.post<Faceted>('/searches/searches/requests', faceted);
  t.is(body.total_size, circle().length + 1);
  t.is(
    body.facets[0].values.reduce((sum, { count }) => sum + count, 0),
    body.total_size,
  );
  const zeta = body.facets[0].values.find(({ value }) => value === 'zeta')!.count;
  const picked = await http.post<Faceted>('/searches/searches/requests', {
    ...{ ...faceted, facet_filters: { brand: ['zeta'] } },
  });
  t.is(picked.body.total_size, zeta);
  t.deepEqual(await found(http, { ...faceted, facet_filters: { brand: ['zeta'] } }), ['word', 'p5', 'p3']);
  t.deepEqual(await found(http, { ...faceted, facet_filters: { brand: ['zeta'] }, offset: 2, limit: 2 }), [
    'p5',
    'p3',
  ]);
});

test('a weight mixes the similarity of searches with their scores', async (t) => {
  const { http, stock } = shops.openNamed('weights');
  await stock('picture', circle());
  await stock('picture', [{ item_id: 'word', title: 'Harbour at night', brand: 'zeta' }]);
  const ask = (weight: number, rest: Document = {}) => {
    const request = { ...{ page_type: 'search', device_id: 'anonymous', limit: 3, q: 'harbour' }, ...rest };
    return http.post<Mixed>('/weights/searches/requests', {
      ...request,
      query_vector: { ...query(41), weight },
    });
  };
  const idsOf = ({ body }: { body: Mixed }) =>
    body.lists.flatMap(({ items }) => items.map(({ item_id: id }) => id));
  t.deepEqual(idsOf(await ask(0.5)), ['word', 'p4', 'p5']);
  t.deepEqual(idsOf(await ask(0.6)), ['p4', 'p5', 'p3']);
  t.deepEqual(idsOf(await ask(0.01)), ['word', 'p4', 'p5']);
  t.deepEqual(idsOf(await ask(1)), ['p4', 'p5', 'p3']);
  for (const weight of [0.01, 0.3, 0.6, 1]) {
    const limited = await ask(weight, { q: 'picture', limit: 20, filter_by: { brand: 'zeta' } });
    t.deepEqual(idsOf(limited).slice().sort(), ['p1', 'p11', 'p3', 'p5', 'p7', 'p9']);
  }
});

type Mixed = { lists: { items: { item_id: string }[] }[] };

test('a weight mixes the similarity of lists with the models, within all rules', async (t) => {
  const shop = shops.openNamed('mixed');
  await shop.stock('picture', circle());
  for (const weight of [0.01, 0.5, 0.99, 1])
    t.deepEqual(await listOf(shop, { ...query(41), weight }), ['p4', 'p5', 'p3'], String(weight));
  const constraints = [{ query: where('brand', 'zeta') }];
  for (const weight of [0.01, 0.5, 0.99, 1])
    t.deepEqual(await listOf(shop, { ...query(41), weight }, { constraints }), ['p5', 'p3', 'p7']);
  t.deepEqual(await listOf(shop, { name: 'look', like: ['p8'], weight: 0.5 }), ['p9', 'p7', 'p10']);
});

test('after a training, an item page shows anonymous visitors what resembles the item', async (t) => {
  const trained = await startTestService(t, deployment, { trains: true });
  const shop = createShop(trained, 'lists');
  await shop.stock('picture', circle());
  t.is((await createModels(trained, 'lists').train()).state, 'published');
  const constraints = [{ query: where('brand', 'zeta') }];
  const configurationId = await shop.configure({ constraints });
  const transport = createGrpcTransport({ baseUrl: `http://${trained.grpcAddress}` });
  const ask = async () => {
    const lists = [{ configurationId, listName: 'l', listSize: 3 }];
    const request = { deviceId: 'anonymous', pageType: 'detail', contextItem: 'p6', lists };
    const answer = await createClient(RecommendationService, transport).createRecommendations(
      { environment: 'lists', request, explain: true },
      { headers: { authorization: trained.authorization } },
    );
    return answer.explanations[0].items;
  };
  const items = await ask();
  t.deepEqual(
    items
      .slice(0, 2)
      .map(({ itemId }) => itemId)
      .sort(),
    ['p5', 'p7'],
  );
  const part = items[0].parts.find(({ model }) => model === 'vectors')!;
  t.deepEqual(part.reasonItemIds, ['p6']);
  t.true(part.score > 0);
});

test('invalid vectors are refused', async (t) => {
  const { http } = shops.openNamed('refusals');
  const put = async (look: unknown, name = 'look') => {
    const answer = await http.put('/refusals/items/picture/x', { title: 'X', [name]: look });
    return [answer.status, JSON.stringify(answer.body)] as const;
  };
  for (const look of [[1, 2, 3], [1, 2, 3, '4'], [1, 2, 3, 1e9], [1, 2, 3, null], 'text', [[1], 2, 3, 4]]) {
    const [status, text] = await put(look);
    t.is(status, 415, text);
    t.regex(text, /Must be an array of 4 numbers from -1000000 to 1000000/);
  }
  t.regex((await put([0, 0, 0, 0]))[1], /Must not be all zeros/);
  t.is((await put([0, 0], 'worth'))[0], 200);
  t.regex((await put([1], 'looks'))[1], /Did you mean look\?/);
  const ask = async (queryVector: Document) => {
    const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 3 }];
    const answer = await http.post('/refusals/recommendations/requests', {
      ...{ device_id: 'd', page_type: 'home', lists },
      query_vector: queryVector,
    });
    t.is(answer.status, 400);
    return JSON.stringify(answer.body);
  };
  t.regex(await ask({ name: 'sound', values: [1] }), /Expected look, worth/);
  t.regex(await ask({ name: 'look', values: [1, 2] }), /Must be an array of 4 numbers/);
  t.regex(await ask({ name: 'look', values: [1, 2, 3, 'NaN'] }), /"\/query_vector\/values/);
  for (const weight of [0, 1.1, -1])
    t.regex(await ask({ ...query(1), weight }), /query_vector\/weight.*Must be above 0 and at most 1/);
  t.regex(await ask({ name: 'look' }), /Must have values, like or unlike/);
  t.regex(await ask({ name: 'look', values: new Array(1_025).fill(1) }), /query_vector/);
  const refined = { q: '', page_type: 'p', device_id: 'd', order_by: 'title', query_vector: query(1) };
  t.regex(
    JSON.stringify((await http.post('/refusals/searches/requests', refined)).body),
    /Not allowed with group_by/,
  );
});

test('declarations that contradict each other are refused', (t) => {
  const problemOf = (types: string) =>
    t.throws(() => parseDeployment(`environments: [ { name: shop, item_types: [ ${types} ] } ]`, 'x.yaml'))!
      .message;
  const a = '{ name: a, vectors: [ { name: look, dimensions: 4 } ] }';
  t.regex(problemOf(`${a}, { name: b, vectors: [ { name: look, dimensions: 5 } ] }`), /other dimensions/);
  t.regex(
    problemOf(`${a}, { name: b, properties: [ { name: look, type: string } ] }`),
    /is a property of another/,
  );
  t.regex(problemOf('{ name: a, vectors: [ { name: title, dimensions: 4 } ] }'), /Is a field of Item/);
  t.regex(problemOf('{ name: a, vectors: [ { name: look, dimensions: 1025 } ] }'), /1,?024/);
});
