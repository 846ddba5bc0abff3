/** Metrics and experiments of a running service: counts are immediate, in every grouping. */

import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { ExperimentService } from '../../gen/es/personalisation/v1/experiment_service_pb.js';
import { MetricService } from '../../gen/es/personalisation/v1/metric_service_pb.js';
import type { Answer } from '../support/json-client.ts';
import { type Document, type Shop, type Shops, series, startShops } from './support/shops.ts';

let shops: Shops;

const split = `
    versions: [{ name: A, share: 50 }, { name: B, share: 50 }]
    user_groups: [{ name: recommender, share: 90 }, { name: control, share: 10, lists: empty }]
    attribution_window_hours: 2
`;

test.before(async () => {
  shops = await startShops(10, { split, compared: split, held: split });
});

test.after.always(() => shops?.stop());

const options = () => ({ headers: { authorization: shops.service.authorization } });
const transport = () => createGrpcTransport({ baseUrl: `http://${shops.service.grpcAddress}` });
const metrics = () => createClient(MetricService, transport());
const experiments = () => createClient(ExperimentService, transport());

type Output = {
  nr_results: number;
  total_nr_results: number;
  query_params: Document;
  results: { start_time: number; value: number }[];
};

async function read(shop: Shop, metric: string, query = ''): Promise<Output> {
  return succeeded(await shop.http.get<Output>(`/metrics/${metric}?environment=${shop.environment}${query}`));
}

/** Sums over all hours, because the hour may end during a test. */
async function total(shop: Shop, metric: string): Promise<number> {
  return (await read(shop, metric)).results.reduce((sum, { value }) => sum + value, 0);
}

const send = async (shop: Shop, events: Document[], headers: Record<string, string> = {}) =>
  succeeded(await shop.http.post(`/${shop.environment}/events`, { events }, headers));

function succeeded<Body>({ status, body }: Answer<Body>): Body {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

const noon = Date.UTC(2026, 2, 1, 12) / 1_000;

const impression = (more: Document = {}): Document => ({
  event_type: 'impression',
  device_id: 'd1',
  page_type: 'home',
  list_name: 'top',
  action_item: 'sofa',
  request_id: 'r1',
  user_group: 'recommender',
  timestamp: noon,
  ...more,
});
const click = (more: Document = {}) => impression({ event_type: 'click_on_recommendation', ...more });

test('the metrics are listed with their fields, as a top-level array', async (t) => {
  const { status, body } = await shops.open().http.get<Document[]>('/metrics');
  t.is(status, 200);
  t.is(body.length, 29);
  t.deepEqual(body[0], {
    metric_name: 'add_to_carts',
    fields: [
      { field_name: 'start_time', field_type: 'integer' },
      { field_name: 'value', field_type: 'number' },
    ],
  });
});

test('an event counts once, as soon as it is accepted, in its hour', async (t) => {
  const shop = shops.open();
  const one = impression({ event_id: 'e1' });
  await send(shop, [
    one,
    impression({ event_id: 'e2', action_item: 'chair' }),
    click({ timestamp: noon + 7_200 }),
  ]);
  await send(shop, [one]);
  t.deepEqual(await read(shop, 'impressions'), {
    nr_results: 1,
    total_nr_results: 1,
    query_params: { ascending: true, environment: shop.environment, limit: 1_000, orderby: 'start_time' },
    results: [{ start_time: noon, value: 2 }],
  });
  t.deepEqual((await read(shop, 'impressions_sets')).results, [{ start_time: noon, value: 1 }]);
  t.deepEqual((await read(shop, 'clicks')).results, [{ start_time: noon + 7_200, value: 1 }]);
  t.deepEqual((await read(shop, 'click_through_rate')).results, [{ start_time: noon, value: 0 }]);
});

test('an event of the last microseconds of an hour counts in it', async (t) => {
  const shop = shops.open();
  const moments = ['2026-03-01T12:59:59.999600Z', noon + 3_599.9996, '2026-03-01T13:00:00.000400Z'];
  await send(
    shop,
    moments.map((timestamp) => impression({ timestamp })),
  );
  t.deepEqual((await read(shop, 'impressions')).results, [
    { start_time: noon, value: 2 },
    { start_time: noon + 3_600, value: 1 },
  ]);
});

test('results are sorted, limited and restricted to an interval', async (t) => {
  const shop = shops.open();
  const counts = [3, 1, 2];
  await send(
    shop,
    counts.flatMap((count, hour) =>
      Array.from({ length: count }, () => impression({ timestamp: noon + hour * 3_600 })),
    ),
  );
  const values = async (query: string) =>
    (await read(shop, 'impressions', query)).results.map(({ value }) => value);
  t.deepEqual(await values(''), [3, 1, 2]);
  t.deepEqual(await values('&ascending=false'), [2, 1, 3]);
  t.deepEqual(await values('&orderby=value'), [1, 2, 3]);
  t.deepEqual(await values('&start_time[gte]=2026-03-01T13:00:00Z&start_time[lt]=2026-03-01T14:00:00Z'), [1]);
  t.deepEqual(await values('&start_time.gte=2026-03-01T13:00:00Z'), [1, 2]);
  t.deepEqual(await values('&start_time[gte]=2026-03-01T13:00:00Z&start_time[lt]=2026-03-01T13:00:00Z'), []);
  const limited = await read(shop, 'impressions', '&limit=2&orderby=value&ascending=false');
  t.is(limited.nr_results, 2);
  t.is(limited.total_nr_results, 3);
  t.deepEqual(limited.results, [
    { start_time: noon, value: 3 },
    { start_time: noon + 7_200, value: 2 },
  ]);
});

const spellings: [text: string, isRead: boolean][] = [
  ['2026-03-01T13:00:00Z', true],
  ['2026-03-01T13:00:00.000Z', true],
  ['2026-03-01T18:00:00+05:00', true],
  ['2026-03-01T13:00:00', true],
  ['2026-03-01T13:00', true],
  ['2026-03-01T13:00Z', true],
  ['2026-03-01T13', true],
  ['2026-03-01T13:00:01', false],
  ['2026-03-01T13:30', false],
  ['2026-03-01T18:00:00+05:30', false],
  ['2026-02-30T13:00', false],
  ['2026-03-01T24:00', false],
  ['2026-03-01', false],
  ['1772370000', false],
];

test('the ends of an interval are ISO timestamps on the hour, in UTC by default', async (t) => {
  const shop = shops.open();
  await send(shop, [
    impression({ timestamp: noon }),
    impression({ timestamp: noon + 3_600 }),
    impression({ timestamp: noon + 7_200 }),
  ]);
  for (const [text, isRead] of spellings) {
    const path = `/metrics/impressions?environment=${shop.environment}&start_time[gte]=${encodeURIComponent(text)}`;
    const { status, body, pointers } = await shop.http.get<Output>(path);
    t.is(status, isRead ? 200 : 400, text);
    if (isRead) t.is(body.nr_results, 2, text);
    else t.deepEqual(pointers, ['query:start_time.gte'], text);
  }
});

test('a purchase is attributed to a click on a variant, and on another device of its user', async (t) => {
  const shop = shops.open();
  await shop.stock('product', [
    { item_id: 'tee-s', group_id: 'tee' },
    { item_id: 'tee-m', group_id: 'tee' },
  ]);
  const step = async (event: Document) =>
    send(shop, [
      { action_item: 'tee-s', user_group: 'recommender', list_name: 'l', page_type: 'home', ...event },
    ]);
  const clicked = { event_type: 'click_on_recommendation', request_id: 'r' };
  const bought = { event_type: 'purchase', purchased_price: 9 };
  const signIn = { event_type: 'page_visit', action_item: undefined };
  const attributed = () => total(shop, 'attributed_purchased_items');
  await step({ ...clicked, device_id: 'v' });
  await step({ ...bought, device_id: 'v', action_item: 'tee-m' });
  t.is(await attributed(), 1, 'another variant');
  for (const device_id of ['phone', 'laptop']) await step({ ...signIn, device_id, user_id: 'ann' });
  await step({ ...clicked, device_id: 'phone' });
  await step({ ...bought, device_id: 'laptop' });
  t.is(await attributed(), 2, 'another device');
  await step({ ...clicked, device_id: 'pc' });
  await step({ ...signIn, device_id: 'pc', user_id: 'ben' });
  await step({ ...bought, device_id: 'pc', user_id: 'ben' });
  t.is(await attributed(), 3, 'before the sign-in');
  await step({ ...bought, device_id: 'other' });
  t.is(await attributed(), 3, 'somebody else');
});

test('a purchase is attributed to an earlier click, even one that arrives later', async (t) => {
  const shop = shops.openNamed('split');
  const purchase = {
    event_type: 'purchase',
    device_id: 'd1',
    action_item: 'sofa',
    amount: 2,
    purchased_price: 9.95,
  };
  await send(shop, [{ ...purchase, timestamp: noon + 7_200 }]);
  t.is(await total(shop, 'attributed_purchased_items'), 0);
  await send(shop, [click({ timestamp: noon, list_name: 'early' })]);
  t.is(await total(shop, 'attributed_purchased_items'), 2);
  await send(shop, [{ ...purchase, timestamp: noon + 7_201 }]);
  t.is(await total(shop, 'attributed_revenue'), 19.9);
  t.is(await total(shop, 'revenue'), 39.8);
  await send(shop, [click({ timestamp: noon + 60, list_name: 'late' })]);
  t.is(await total(shop, 'attributed_revenue'), 39.8);
  const { results } = await metrics().queryMetrics(
    { environment: 'split', metrics: ['attributed_revenue'], groupBy: ['list_name'] },
    options(),
  );
  t.deepEqual(
    results.map(({ group, value }) => [group?.listName, value]),
    [['late', 39.8]],
  );
  await send(shop, [{ ...purchase, amount: -1, timestamp: noon + 7_202 }]);
  t.is(await total(shop, 'purchased_items'), 3);
  t.is(await total(shop, 'revenue'), 29.85);
  t.is(await total(shop, 'attributed_revenue'), 29.85);
  await send(shop, [{ ...purchase, purchased_price: -9.95, timestamp: noon + 7_203 }]);
  t.is(await total(shop, 'attributed_purchased_items'), 1);
  t.is(await total(shop, 'revenue'), 9.95);
});

test('served answers count at once: lists, sets, searches and completions', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [{ item_id: 'a', title: 'Blue sofa' }]);
  const id = await shop.configure({});
  const list = (name: string) => ({ configuration_id: id, list_name: name, list_size: 5 });
  succeeded(await shop.ask({ lists: [list('one'), list('two')] }));
  succeeded(await shop.ask({ lists: [list('one')] }));
  const search = (q: string) =>
    shop.http.post(`/${shop.environment}/searches/requests`, { q, page_type: 'home', device_id: 'd1' });
  succeeded(await search('zzzxqj'));
  t.is(await total(shop, 'requests'), 2);
  t.is(await total(shop, 'recommendation_sets'), 2);
  t.is(await total(shop, 'search_requests'), 1);
  const { results } = await metrics().queryMetrics(
    { environment: shop.environment, metrics: ['requests'], groupBy: ['list_name', 'configuration'] },
    options(),
  );
  const byList = new Map<string, number>();
  for (const { group, value } of results) {
    t.is(group?.configuration, id);
    byList.set(group!.listName!, (byList.get(group!.listName!) ?? 0) + value);
  }
  t.deepEqual([...byList].sort(), [
    ['one', 2],
    ['two', 1],
  ]);
});

test('robots count only in the metric events', async (t) => {
  const shop = shops.open();
  await send(shop, [impression()], { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' });
  t.is(await total(shop, 'events'), 1);
  t.is(await total(shop, 'impressions'), 0);
  t.is(await total(shop, 'devices'), 0);
});

test('metrics are grouped and filtered by any dimension, and an unknown metric or group is refused', async (t) => {
  const shop = shops.open();
  await send(shop, [
    impression({ version: 'A', channel: 'web', device_id: 'd1' }),
    impression({ version: 'A', channel: 'ios', device_id: 'd1' }),
    impression({ version: 'B', channel: 'web', device_id: 'd2' }),
  ]);
  const ask = (request: object) =>
    metrics().queryMetrics(
      { environment: shop.environment, metrics: ['devices', 'impressions'], ...request },
      options(),
    );
  const rows = async (request: object) =>
    (await ask(request)).results.map(({ metric, group, value }) => [
      metric,
      group?.version,
      group?.channel,
      value,
    ]);
  t.deepEqual(await rows({ groupBy: ['version'] }), [
    ['devices', 'A', undefined, 1],
    ['devices', 'B', undefined, 1],
    ['impressions', 'A', undefined, 2],
    ['impressions', 'B', undefined, 1],
  ]);
  t.deepEqual(await rows({ where: { channel: 'web' } }), [
    ['devices', undefined, undefined, 2],
    ['impressions', undefined, undefined, 2],
  ]);
  t.deepEqual(await rows({ where: { listName: '' } }), []);
  t.is((await ask({ groupBy: ['version', 'channel'], limit: 2 })).totalNrResults, 6);
  await t.throwsAsync(ask({ metrics: ['happiness'] }), { message: /happiness/ });
  await t.throwsAsync(ask({ groupBy: ['colour'] }));
});

test('an experiment finds a planted difference, and leaves out devices of two arms', async (t) => {
  const shop = shops.openNamed('compared');
  const now = Math.floor(Date.now() / 1_000);
  const visit = (version: string, n: number, clicks: number) => {
    const seen = impression({ version, device_id: `${version}${n}`, timestamp: now });
    return [
      seen,
      ...Array.from({ length: clicks }, () => ({ ...seen, event_type: 'click_on_recommendation' })),
    ];
  };
  const devices = Array.from({ length: 400 }, (_, n) => n);
  await send(
    shop,
    devices.flatMap((n) => visit('A', n, n % 10 === 0 ? 1 : 0)),
  );
  await send(
    shop,
    devices.flatMap((n) => visit('B', n, n % 2 === 0 ? 1 : 0)),
  );
  await send(
    shop,
    [...visit('A', 9_999, 0), ...visit('B', 9_999, 0)].map((event) => ({ ...event, device_id: 'both' })),
  );
  const request = { environment: shop.environment };
  const reading = await experiments().readExperiment(request, options());
  t.deepEqual(
    reading.arms.map(({ name, deviceCount, declaredShare }) => [name, Number(deviceCount), declaredShare]),
    [
      ['A', 400, 0.5],
      ['B', 400, 0.5],
    ],
  );
  t.is(Number(reading.crossedDeviceCount), 1);
  t.false(reading.sampleRatio?.mismatch);
  const rate = reading.differences.find(({ metric }) => metric === 'click_through_rate')!;
  t.true(Math.abs(rate.difference - 0.4) < 1e-12);
  t.true(rate.significant && rate.interval!.low > 0 && rate.interval!.high > 0.4);
  t.true(rate.smallestDetectable! > 0);
  const compared = await experiments().compareVersions({ ...request, control: 'B', arm: 'A' }, options());
  const back = compared.differences.find(({ metric }) => metric === 'click_through_rate')!;
  t.true(back.significant && back.interval!.high < 0 && back.interval!.low > rate.interval!.high * -1);
  await t.throwsAsync(experiments().readExperiment({ ...request, control: 'C' }, options()));
});

test('a control group with empty lists counts in the experiment by its answers', async (t) => {
  const shop = shops.openNamed('held');
  const id = await shop.configure({});
  const lists = [{ configuration_id: id, list_name: 'l', list_size: 5 }];
  for (const device of series('group', 3))
    succeeded(await shop.ask({ device_id: device, user_group: 'control', version: 'A', lists }));
  const request = { environment: shop.environment, dimension: 'user_group' };
  const { arms } = await experiments().readExperiment(request, options());
  t.is(arms[0].name, 'control');
  t.true(Number(arms[0].deviceCount) >= 3);
});
