/** Performance of items, queries and placements, and metrics of visitors, over HTTP and on the command line. */

import test from 'ava';
import { runAgainst } from '../cli/support/command.ts';
import { createJsonClient } from '../support/json-client.ts';
import { searchShop } from './support/searching.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - name: shop
    time_zone: Europe/Berlin
    item_types:
      - name: product
        properties: [ { name: brand, type: string, filterable: true } ]
  - { name: other, item_types: [ { name: product } ] }
`);
const http = createJsonClient(service);

type Figure = { value?: number; interval?: { low: number; high: number }; part?: number; whole?: number };
type Row = { value: string; title?: string; figures: Figure[]; previous_figures: Figure[] };
type Performance = {
  metrics: { name: string; label: string; unit: string }[];
  rows: Row[];
  total_size: number;
  summary_metrics: { name: string }[];
  summary: Row;
  rest?: Row;
};

async function read(dimension: string, query = ''): Promise<Performance> {
  const { status, body } = await http.get<Performance>(`/shop/performance?dimension=${dimension}${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

const named = (metrics: readonly { name: string }[], { figures }: Pick<Row, 'figures'>) =>
  Object.fromEntries(metrics.map(({ name }, place) => [name, figures[place].value]));

const tableOf = ({ metrics, rows }: Performance) =>
  Object.fromEntries(rows.map((row) => [row.value, named(metrics, row)]));

const send = async (events: object[]) => {
  const { status, body } = await http.post('/shop/events', { events });
  if (status !== 200) throw new Error(JSON.stringify(body));
};

const put = async (id: string, item: object) => {
  const { status, body } = await http.put(`/shop/items/product/${id}`, item);
  if (status >= 300) throw new Error(JSON.stringify(body));
};

/** 00:30 of 1 March in Berlin. */
const night = Date.UTC(2026, 1, 28, 23, 30) / 1_000;
const march = '&first_day=2026-03-01&last_day=2026-03-02';

test.before(async () => {
  const items = { mug: 'Acme', cup: 'Acme', pot: 'Bolt' };
  for (const [id, brand] of Object.entries(items)) await put(id, { title: `The ${id}`, brand });
  const shown = {
    ...{ page_type: 'home', list_name: 'top', request_id: 'r', user_group: 'recommender' },
    ...{ action_item_type: 'product', timestamp: night },
  };
  const impression = { ...shown, event_type: 'impression', device_id: 'd1' };
  const click = {
    ...shown,
    event_type: 'click_on_recommendation',
    device_id: 'd1',
    action_item: 'mug',
    rank: 3,
  };
  await send([
    ...['mug', 'mug', 'cup', 'pot'].map((action_item, i) => ({ ...impression, action_item, rank: i + 1 })),
    { ...impression, device_id: 'd2', action_item: 'mug', row: 2 },
    { ...click, row: 2 },
    { ...impression, action_item: 'mug', timestamp: night - 86_400 },
    {
      event_type: 'purchase',
      device_id: 'd1',
      action_item: 'mug',
      action_item_type: 'product',
      amount: 2,
      purchased_price: 10,
      timestamp: night + 60,
    },
    {
      event_type: 'purchase',
      device_id: 'd1',
      action_item: 'pot',
      action_item_type: 'product',
      purchased_price: 5,
      timestamp: night + 7_200,
    },
  ]);
});

test('items are listed by calendar day of the environment, with their purchases, best or worst first', async (t) => {
  const all = await read('item', march);
  const { mug, cup, pot } = tableOf(all);
  t.deepEqual(mug, {
    ...{ impressions: 3, clicks: 1, click_through_rate: 1 / 3 },
    ...{ purchases: 1, purchased_items: 2, revenue: 20 },
  });
  t.like(cup, { impressions: 1, clicks: 0, revenue: 0 });
  t.like(pot, { impressions: 1, purchases: 1, revenue: 5 });
  t.is(all.rows[0].title, 'The mug');
  const { interval, part, whole } = all.rows[0].figures[2];
  t.deepEqual({ part, whole }, { part: 1, whole: 3 });
  t.true(interval!.low > 0 && interval!.low < 1 / 3 && interval!.high > 1 / 3 && interval!.high < 1);
  t.like(named(all.summary_metrics, all.summary), {
    impressions: 5,
    coverage: 1,
    new_item_share: 0,
    revenue: 25,
  });
  const worst = await read('item', `${march}&order_by=revenue&limit=1&text=the`);
  t.deepEqual([worst.rows[0].value, worst.total_size], ['cup', 3]);
});

test('the previous period stands beside each row', async (t) => {
  const { rows, metrics, summary } = await read('item', `${march}&compare=true`);
  const before = (row: Row) => named(metrics, { figures: row.previous_figures });
  t.like(before(rows[0]), { impressions: 1, clicks: 0 });
  t.like(before(summary), { impressions: 1 });
});

test('the values of a property, ranks, rows and lists have the same counts', async (t) => {
  t.like(tableOf(await read('brand', march)), {
    Acme: { impressions: 4, clicks: 1, revenue: 20 },
    Bolt: { impressions: 1, purchases: 1 },
  });
  t.like(tableOf(await read('rank', march)), { 1: { impressions: 1 }, 3: { impressions: 1, clicks: 1 } });
  t.like(tableOf(await read('row', march)), { 2: { impressions: 1, clicks: 1, click_through_rate: 1 } });
  const ofList = { impressions: 5, clicks: 1, attributed_purchased_items: 2, attributed_revenue: 20 };
  t.like(tableOf(await read('list_name', march)), { top: ofList });
  t.like(tableOf(await read('list_name', `${march}&where.page_type=home`)), { top: ofList });
  t.deepEqual((await read('list_name', `${march}&where.page_type=detail`)).rows, []);
});

test('queries have searches, clicks with their position, and the purchases of clicked items', async (t) => {
  for (const q of ['mugg', 'zzzzqqq']) await searchShop(http, q, {});
  const found = await searchShop(http, 'mug', {});
  await searchShop(http, 'mug', {});
  const common = {
    ...{ page_type: 'search', list_name: 'results', device_id: 'd9' },
    ...{ action_item: 'mug', action_item_type: 'product', request_id: found.request_id },
  };
  const click = { ...common, event_type: 'search_click_on_recommendation', rank: 2 };
  await send([{ ...common, event_type: 'search_impression' }, click, click]);
  await read('query');
  await send([
    {
      event_type: 'purchase',
      device_id: 'd9',
      action_item: 'mug',
      action_item_type: 'product',
      purchased_price: 8,
    },
  ]);
  const all = await read('query');
  const table = tableOf(all);
  t.like(table.mug, {
    ...{ searches: 2, no_result_rate: 0, no_click_rate: 0.5, mean_click_position: 2 },
    ...{ search_purchases: 1, search_conversion_rate: 0.5, search_revenue: 8 },
  });
  t.is(table.zzzzqqq.no_result_rate, 1);
  const failed = await read('query', '&problem=no_results');
  t.deepEqual(Object.keys(tableOf(failed)), ['zzzzqqq']);
  t.true(Object.keys(tableOf(await read('query', '&problem=no_clicks'))).includes('mug'));
});

type Visitors = {
  metrics: { name: string }[];
  periods: { first_day: string; last_day: string; figures: Figure[] }[];
  sampled_share: number;
};

test('a visitor counts once in a day, week or in total, in as many sessions as there were pauses', async (t) => {
  const readVisitors = async (step: string) =>
    (await http.get<Visitors>(`/shop/visitor-metrics?step=${step}&first_day=2026-02-27&last_day=2026-03-02`))
      .body;
  const days = await readVisitors('day');
  t.deepEqual(
    days.periods.map(({ first_day: day }) => day),
    ['2026-02-28', '2026-03-01'],
  );
  t.is(days.sampled_share, 1);
  const total = await readVisitors('total');
  t.like(named(total.metrics, total.periods[0]), {
    ...{ visitors: 2, sessions: 4, orders: 2, conversion_rate: 0.5, session_conversion_rate: 0.5 },
    ...{ revenue: 25, revenue_per_visitor: 12.5, revenue_per_session: 6.25, average_order_value: 12.5 },
  });
  t.deepEqual([total.periods[0].first_day, total.periods[0].last_day], ['2026-02-27', '2026-03-02']);
  const weeks = await readVisitors('week');
  t.deepEqual(
    weeks.periods.map(({ figures }) => figures[0].value),
    [2],
  );
});

test('days, orders and dimensions are checked', async (t) => {
  for (const query of [
    'dimension=nothing',
    'dimension=item&first_day=2026-02-30',
    'dimension=item&first_day=2026-03-02&last_day=2026-03-01',
    'dimension=item&first_day=2024-03-02&last_day=2026-03-01',
    'dimension=item&order_by=searches',
    'dimension=item&where.page_type=home',
  ]) {
    const { status, body } = await http.get<{ reason: string }>(`/shop/performance?${query}`);
    t.is(status, 400, `${query}: ${JSON.stringify(body)}`);
  }
  t.is((await http.get('/nowhere/performance?dimension=item')).status, 404);
});

test('the command line prints the tables', async (t) => {
  const run = (command: string, ...rest: string[]) =>
    runAgainst(service, 'metrics', command, ...rest, '--environment', 'shop', '--from', '2026-03-01');
  const items = await run('performance', 'item', '--to', '2026-03-02', '--compare');
  t.regex(items.stdout, /item.*impressions.*before.*\n(.*\n)?all .*\nmug /, items.stderr);
  const visitors = await run('visitors', '--to', '2026-03-02', '--step', 'day');
  t.regex(visitors.stdout, /2026-03-01 +2026-03-01 +2 /, visitors.stderr);
});
