/**
 * A caller that invents names: counts stay exact, small and readable, and operators are informed.
 */

import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { MetricService } from '../../gen/es/personalisation/v1/metric_service_pb.js';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const deployment = `
limits: { new_names_per_hour: 20 }
environments:
  - name: shop
    item_types: [ { name: product } ]
  - name: calm
    item_types: [ { name: product } ]
`;

let service: TestService;
let http: JsonClient;

const serve = (environment: string, listNames: readonly string[], pageType = 'home') =>
  http.post(`/${environment}/recommendations/requests`, {
    device_id: 'visitor',
    page_type: pageType,
    lists: listNames.map((list_name) => ({ configuration_id: 'plain', list_name, list_size: 1 })),
  });

const invented = (request: number) => Array.from({ length: 100 }, (_, list) => `made-up-${request}-${list}`);

const totalOf = async (metric: string) => {
  const { status, body } = await http.get<{ results: { value: number }[] }>(
    `/metrics/${metric}?environment=shop`,
  );
  return status === 200 ? body.results.reduce((sum, { value }) => sum + value, 0) : status;
};

const byList = async (metric: string) => {
  const client = createClient(
    MetricService,
    createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` }),
  );
  const { results } = await client.queryMetrics(
    { environment: 'shop', metrics: [metric], groupBy: ['list_name'] },
    { headers: { authorization: service.authorization } },
  );
  const sums = new Map<string, number>();
  for (const { group, value } of results)
    sums.set(group!.listName!, (sums.get(group!.listName!) ?? 0) + value);
  return sums;
};

const checksOf = async (environment: string) => {
  const { body } = await http.get<{ findings: { check: string; count: number; examples: string[] }[] }>(
    `/${environment}/diagnosis`,
  );
  return body.findings.filter(({ check }) => check === 'too_many_new_names');
};

test.before(async () => {
  service = await startTestService({ teardown: () => undefined }, deployment, { watch: { adminPort: 0 } });
  http = createJsonClient(service);
  await http.post('/configurations', { configuration_id: 'plain' });
  for (let i = 0; i < 3; i++) await serve('shop', ['top']);
  for (let request = 0; request < 40; request++) await serve('shop', invented(request));
  await serve('shop', ['top']);
});

test.after.always(() => service?.stop());

test.serial(
  'totals of served lists are exact, known names keep their counts, and others share one',
  async (t) => {
    t.is(await totalOf('requests'), 44);
    const requests = await byList('requests');
    t.is(requests.get('top'), 4);
    t.is(requests.get('other'), 40);
    /** The hour may end in between. */
    t.true(requests.size <= 2 + 2 * 20);
  },
);

test.serial('events with invented names count, too', async (t) => {
  const events = Array.from({ length: 200 }, (_, i) => ({
    event_type: 'page_visit',
    device_id: `d${i}`,
    page_type: `page-${i}`,
    list_name: `list-${i}`,
    channel: `channel-${i}`,
    version: `version-${i}`,
    user_group: `group-${i}`,
    configuration_id: `configuration-${i}`,
  }));
  t.is((await http.post('/shop/events', { events })).status, 200);
  t.is(await totalOf('pageviews'), 200);
  t.is(await totalOf('devices'), 200);
  t.true((await byList('pageviews')).get('other')! >= 200 - 2 * 20);
  const { rows } = await service.database.pool.query(
    'select count(distinct dimension_id)::int as count from metric_dimensions',
  );
  t.true(rows[0].count <= 3 + 2 * 20, `${rows[0].count} combinations`);
});

test.serial('the diagnosis and a metric report it', async (t) => {
  const [finding, ...others] = await checksOf('shop');
  t.deepEqual(others, []);
  t.true(finding.count >= 4_000 - 40);
  t.true(finding.examples[0].includes('made-up'));
  t.deepEqual(await checksOf('calm'), []);
  const exposed = await (await fetch(`http://127.0.0.1:${service.adminPort}/metrics`)).text();
  const line = /^personalisation_metric_names_over_limit_total\{environment="shop"\} (\d+)$/m.exec(exposed);
  t.true(Number(line?.[1]) >= 4_000 - 40);
  t.regex(exposed, /^personalisation_write_behind_dropped_total\{buffer="served calls"\} 0$/m);
});

test.serial('readers and deletions do not wait for counts that the database refuses', async (t) => {
  const blocking = await service.database.pool.connect();
  await blocking.query(
    'begin; set local idle_in_transaction_session_timeout = 0; lock table metric_served in access exclusive mode',
  );
  try {
    await serve('shop', ['top']);
    const [uncounted, deleted] = await Promise.all([
      totalOf('search_requests'),
      http.send('DELETE', '/shop/devices/visitor'),
    ]);
    t.is(uncounted, 0);
    t.is(deleted.status, 200);
  } finally {
    await blocking.query('rollback');
    blocking.release();
  }
  let total = 0;
  while (total < 45) total = await totalOf('requests');
  t.is(total, 45);
});
