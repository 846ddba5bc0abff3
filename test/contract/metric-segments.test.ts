/** Metrics and performance by segments of visitors: over HTTP, gRPC and on the command line. */

import { type CallOptions, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { MetricService } from '../../gen/es/personalisation/v1/metric_service_pb.js';
import { PerformanceService } from '../../gen/es/personalisation/v1/performance_service_pb.js';
import { runAgainst } from '../cli/support/command.ts';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - name: shop
    segments: [category, country, membership]
    user_properties: [membership]
    item_types: [ { name: product } ]
`);
const http = createJsonClient(service);
const transport = () => createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` });
const options = (): CallOptions => ({ headers: { authorization: service.authorization } });

const noon = Date.UTC(2026, 2, 1, 12) / 1_000;
const march = { firstDay: '2026-03-01', lastDay: '2026-03-01' };

async function post(path: string, body: object) {
  const answer = await http.post(path, body);
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

const query = (request: object) =>
  createClient(MetricService, transport()).queryMetrics({ environment: 'shop', ...request }, options());

/** Values summed over the hours, by the segments of the group. */
async function read(metric: string, properties: string[], where: object = {}) {
  const groupBy = properties.map((name) => `segments.${name}`);
  const { results } = await query({ metrics: [metric], groupBy, where });
  const sums: Record<string, number> = {};
  for (const { group, value } of results) {
    const name = properties.map((property) => group!.segments[property]).join(' ');
    sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}

test.before(async () => {
  await post('/configurations', { configuration_id: 'plain' });
  await http.put('/shop/items/product/mug', { title: 'Mug' });
  const shown = {
    ...{ page_type: 'home', list_name: 'top', request_id: 'r', user_group: 'recommender' },
    ...{ action_item: 'mug', timestamp: noon },
  };
  const visit = (device_id: string, said: object) => [
    { ...shown, ...said, device_id, event_type: 'impression' },
    { ...shown, ...said, device_id, event_type: 'impression' },
    { ...shown, ...said, device_id, event_type: 'click_on_recommendation' },
  ];
  const bought = { event_type: 'purchase', action_item: 'mug', purchased_price: 10, timestamp: noon + 60 };
  await post('/shop/events', {
    events: [
      ...visit('a', { device_class: 'mobile', country: 'DE', membership: 'gold' }),
      ...visit('b', { device_class: 'mobile', country: 'NL' }),
      ...visit('c', { device_class: 'desktop', country: 'DE' }),
      ...visit('d', {}),
      { ...bought, device_id: 'a', country: 'AT' },
      { ...bought, device_id: 'c', device_class: 'desktop', country: 'DE', amount: 2 },
      { ...bought, device_id: 'd', device_class: 'x'.repeat(65), country: 'ZZ' },
    ],
  });
});

test('metrics are grouped and filtered by two segments; an attributed purchase has those of its click', async (t) => {
  t.deepEqual(await read('clicks', ['device_class']), { '': 1, desktop: 1, mobile: 2 });
  t.deepEqual(await read('click_through_rate', ['device_class']), { '': 0.5, desktop: 0.5, mobile: 0.5 });
  t.deepEqual(await read('revenue', ['country']), { AT: 10, DE: 20, ZZ: 10 });
  t.deepEqual(await read('revenue', ['device_class']), { '': 10, desktop: 20, other: 10 });
  t.deepEqual(await read('attributed_revenue', ['country']), { '': 10, DE: 30 });
  t.deepEqual(await read('attributed_revenue', ['country', 'device_class']), {
    ...{ ' ': 10, 'DE desktop': 20, 'DE mobile': 10 },
  });
  const where = { listName: 'top', segments: { device_class: 'mobile' } };
  t.deepEqual(await read('impressions', ['country'], where), { DE: 2, NL: 2 });
  const both = { segments: { device_class: 'mobile', membership: '' } };
  t.deepEqual(await read('impressions', ['country'], both), { NL: 2 });
});

test('served lists and searches count under the segments of their requests', async (t) => {
  const ask = (said: object) =>
    post('/shop/recommendations/requests', {
      ...{ device_id: 'e', page_type: 'home', ...said },
      lists: ['one', 'two'].map((list_name) => ({ configuration_id: 'plain', list_name, list_size: 1 })),
    });
  await ask({ device_class: 'mobile', country: 'DE' });
  await ask({ device_class: 'mobile', colour: 'red' });
  await ask({});
  const search = { q: 'mug', page_type: 'search', device_id: 'e' };
  await post('/shop/searches/requests', { ...search, segments: { country: 'NL', colour: 'red' } });
  await post('/shop/searches/requests', search);
  t.deepEqual(await read('requests', ['device_class']), { '': 1, mobile: 2 });
  t.deepEqual(await read('requests', ['country'], { listName: 'two' }), { '': 2, DE: 1 });
  t.deepEqual(await read('search_requests', ['country']), { '': 1, NL: 1 });
});

test('unknown segments, and distinct counts by segment, are refused', async (t) => {
  await t.throwsAsync(query({ metrics: ['clicks'], groupBy: ['segments.colour'] }), {
    message: /segments\.colour.*segments\.country, segments\.device_class, segments\.membership/,
  });
  await t.throwsAsync(query({ metrics: ['clicks'], where: { segments: { colour: 'red' } } }), {
    message: /Unknown dimension/,
  });
  await t.throwsAsync(query({ metrics: ['clicks', 'devices'], groupBy: ['segments.country'] }), {
    message: /devices is a distinct count/,
  });
  const { status } = await http.get('/shop/performance?dimension=segments.country&where.segments.colour=red');
  t.is(status, 400);
});

test('performance by segment is the same over HTTP, gRPC and on the command line', async (t) => {
  type Answer = { rows: { value: string; figures: { value?: number }[] }[]; metrics: { name: string }[] };
  const days = 'first_day=2026-03-01&last_day=2026-03-01';
  const path = `/shop/performance?dimension=segments.country&${days}`;
  const filters = [
    'where.segments.device_class=mobile&where.list_name=top',
    'where={"segments":{"device_class":"mobile"},"list_name":"top"}',
  ];
  const tables = await Promise.all(
    filters.map(async (filter) => (await http.get<Answer>(`${path}&${encodeURI(filter)}`)).body),
  );
  t.deepEqual(tables[0], tables[1]);
  const [{ rows, metrics }] = tables;
  t.deepEqual(
    metrics.map(({ name }) => name),
    [
      ...['requests', 'impressions', 'clicks', 'click_through_rate', 'purchased_items', 'revenue'],
      ...['attributed_purchased_items', 'attributed_revenue'],
    ],
  );
  const figures = rows.map((row) => [row.value, ...row.figures.map(({ value }) => value ?? 0)]);
  t.deepEqual(figures, [
    ['DE', 0, 2, 1, 0.5, 0, 0, 1, 10],
    ['NL', 0, 2, 1, 0.5, 0, 0, 0, 0],
  ]);
  const where = { listName: 'top', segments: { device_class: 'mobile' } };
  const request = { environment: 'shop', dimension: 'segments.country', ...march, where };
  const called = await createClient(PerformanceService, transport()).listPerformance(request, options());
  t.deepEqual(
    called.rows.map((row) => [row.value, ...row.figures.map(({ value }) => value ?? 0)]),
    figures,
  );
  const filter = [
    '--where',
    'segments.device_class=mobile',
    'list_name=top',
    '--json',
    '--environment',
    'shop',
  ];
  const period = ['--from', '2026-03-01', '--to', '2026-03-01'];
  const performance = ['metrics', 'performance', 'segments.country', ...filter, ...period];
  const printed = await runAgainst(service, ...(performance as [string]));
  t.deepEqual((JSON.parse(printed.stdout) as Answer).rows, rows, printed.stderr);
  const queried = await runAgainst(
    service,
    'metrics',
    'query',
    'clicks',
    ...filter,
    '--group-by',
    'segments.country',
  );
  const { results } = JSON.parse(queried.stdout) as { results: { group: object; value: number }[] };
  t.deepEqual(
    results.map(({ group, value }) => [group, value]),
    [
      [{ segments: { country: 'DE' } }, 1],
      [{ segments: { country: 'NL' } }, 1],
    ],
  );
  const byList = ['clicks', '--environment', 'shop', '--json', '--group-by', 'list_name'];
  const { stdout } = await runAgainst(service, 'metrics', 'query', ...byList);
  t.regex(stdout, /"group": \{\s*"list_name": "top"\s*\}/, 'no segments');
});
