/** A running service for its operators: metrics on the admin port, traces at a collector, request IDs in logs. */

import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import test, { type ExecutionContext } from 'ava';
import { EventService } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { RecommendationService } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { createCallScope } from '../../../src/servers/telemetry/call-scope.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { version } from '../../../src/version.ts';
import { createJsonClient, type JsonClient } from '../../support/json-client.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { type Collector, startCollector } from './collector.ts';

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product } ]
    page_types: { values: [home], on_unknown: warn }
`;

let collector: Collector;
let service: TestService;
let http: JsonClient;
const lines: { msg: string; request_id?: string; value?: string }[] = [];

const request = {
  device_id: 'd1',
  page_type: 'home',
  lists: [{ configuration_id: 'plain', list_name: 'top', list_size: 3 }],
};
const path = '/shop/recommendations/requests';

test.before(async () => {
  collector = await startCollector();
  const scope = createCallScope();
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger('info', { scope, destination });
  const traces = { endpoint: collector.endpoint, share: 1, serviceName: 'test', instanceId: 'node-1' };
  service = await startTestService({ teardown: () => undefined }, deployment, {
    watch: { adminPort: 0, scope, logger, traces },
  });
  http = createJsonClient(service);
  await http.put('/shop/items/product/chair', { title: 'Chair' });
  await http.post('/configurations', { configuration_id: 'plain' });
});

test.after.always(async () => {
  await service?.stop();
  collector?.stop();
});

async function scrape(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${service.adminPort}/metrics`);
  return response.text();
}

/** The value of a series; labels in the order of the exposition. */
async function readSeries(series: string): Promise<number | undefined> {
  const line = (await scrape()).split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** A call is counted after its answer is sent, which the caller may see earlier. */
async function eventually(t: ExecutionContext, holds: () => Promise<boolean>) {
  let isTrue = await holds();
  for (; !isTrue; isTrue = await holds()) await delay(100);
  t.true(isTrue);
}

const callsOf = (operation: string, transport: string, outcome: string) =>
  `personalisation_calls_total{operation="${operation}",transport="${transport}",outcome="${outcome}"}`;

test('both ports, the OpenAPI document and a metric report the version', async (t) => {
  const base = new URL(service.baseUrl);
  const read = async (url: URL | string) => (await fetch(url)).json();
  const alive = { status: 'alive', version };
  t.deepEqual(await read(new URL('/healthz', base)), alive);
  t.deepEqual(await read(`http://127.0.0.1:${service.adminPort}/healthz`), alive);
  t.like(await read(`${service.baseUrl}/openapi.json`), { info: { version } });
  const node = process.versions.node;
  t.is(await readSeries(`personalisation_build_info{version="${version}",node_version="${node}"}`), 1);
});

test('calls are counted by outcome on every transport', async (t) => {
  const operation = 'RecommendationService/CreateRecommendations';
  await http.post(path, request);
  await http.post(path, { ...request, page_type: 7 });
  const message = {
    environment: 'shop',
    request: {
      deviceId: 'd1',
      pageType: 'home',
      lists: [{ configurationId: 'none', listName: 'top', listSize: 3 }],
    },
  };
  const baseUrl = new URL(service.baseUrl).origin;
  for (const transport of [
    createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` }),
    createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  ])
    await t.throwsAsync(createClient(RecommendationService, transport).createRecommendations(message));
  for (const [transport, outcome] of [
    ['http', 'OK'],
    ['http', 'BODY_INVALID'],
    ['grpc', 'CONFIGURATION_UNKNOWN'],
    ['connect', 'CONFIGURATION_UNKNOWN'],
  ])
    await eventually(t, async () => ((await readSeries(callsOf(operation, transport, outcome))) ?? 0) >= 1);
});

test('an unknown path is counted without an operation', async (t) => {
  await http.get('/a/path/of/nobody');
  await eventually(t, async () => ((await readSeries(callsOf('none', 'http', 'ROUTE_UNKNOWN'))) ?? 0) >= 1);
});

test('streams are counted when they end', async (t) => {
  const transport = createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` });
  const headers = { authorization: service.authorization };
  for await (const _ of createClient(EventService, transport).exportEvents(
    { environment: 'shop' },
    { headers },
  ));
  await eventually(
    t,
    async () => ((await readSeries(callsOf('EventService/ExportEvents', 'grpc', 'OK'))) ?? 0) >= 1,
  );
});

test('the admin port reports database, queues, catalogue, models and process', async (t) => {
  const text = await scrape();
  for (const series of [
    'personalisation_database_connections{state="busy"}',
    'personalisation_database_connections{state="waiting"}',
    ...['events', 'items', 'histories', 'lists kept', 'lists read'].map(
      (queue) => `personalisation_queue_length{queue="${queue}"}`,
    ),
    'personalisation_items{environment="shop"}',
    'personalisation_events_stored_total',
    'personalisation_lists_total{result="kept"}',
    'personalisation_calls_running',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
  ])
    t.true(text.includes(`\n${series} `), series);
  const serving = 'personalisation_models_serving_seconds{environment="shop"}';
  await eventually(t, async () => (await readSeries(serving)) !== undefined);
  t.true(text.includes('# TYPE nodejs_gc_duration_seconds histogram'));
});

test('the admin port has no other pages', async (t) => {
  const statusOf = async (where: string, method = 'GET') =>
    (await fetch(`http://127.0.0.1:${service.adminPort}${where}`, { method })).status;
  t.is(await statusOf('/healthz'), 200);
  t.is(await statusOf('/'), 404);
  t.is(await statusOf('/constructor'), 404);
  t.is(await statusOf('/metrics', 'POST'), 405);
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test("a call continues its caller's trace, with its steps as children", async (t) => {
  await http.post(path, request, { traceparent: `00-${traceId}-${spanId}-01` });
  const call = await collector.find((span) => span.traceId === traceId && span.parentSpanId === spanId);
  t.is(call.name, 'RecommendationService/CreateRecommendations');
  t.is(call.attributes['rpc.method'], 'personalisation.v1.RecommendationService/CreateRecommendations');
  t.is(call.attributes['personalisation.environment'], 'shop');
  t.is(call.attributes['personalisation.outcome'], 'OK');
  t.is(call.attributes['personalisation.transport'], 'http');
  for (const name of ['read history', 'make lists', 'keep lists']) {
    const step = await collector.find((span) => span.name === name && span.traceId === traceId);
    t.is(step.parentSpanId, call.spanId);
  }
  const sender = { 'service.name': 'test', 'service.version': version, 'service.instance.id': 'node-1' };
  for (const resource of collector.resources) t.deepEqual(resource, sender);
});

test('a refused call is a span with its reason', async (t) => {
  await http.post('/nowhere/recommendations/requests', request, {
    traceparent: `00-${traceId.replace('4', '5')}-${spanId}-01`,
  });
  const call = await collector.find((span) => span.traceId === traceId.replace('4', '5'));
  t.is(call.attributes['personalisation.outcome'], 'ENVIRONMENT_UNKNOWN');
  t.false('personalisation.environment' in call.attributes);
  t.is(call.status.code, 2);
});

test('a call that its caller does not sample is not traced', async (t) => {
  const unsampled = traceId.replace('4', '6');
  await http.post(path, request, { traceparent: `00-${unsampled}-${spanId}-00` });
  const later = traceId.replace('4', '7');
  await http.post(path, request, { traceparent: `00-${later}-${spanId}-01` });
  await collector.find((span) => span.traceId === later && span.parentSpanId === spanId);
  t.deepEqual(
    collector.spans.filter((span) => span.traceId === unsampled),
    [],
  );
});

test('log lines of a call carry the request ID of its answer', async (t) => {
  const event = { event_type: 'page_visit', device_id: 'd', page_type: 'cellar' };
  const response = await fetch(`${service.baseUrl}/shop/events`, {
    method: 'POST',
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ events: [event] }),
  });
  const requestId = response.headers.get('x-request-id');
  t.truthy(requestId);
  t.is(lines.find(({ value }) => value === 'cellar')?.request_id, requestId!);
});
