/** The life of a configuration: versions, rollback, entity tags, schedules on two nodes. */

import { setTimeout as delay } from 'node:timers/promises';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import test, { type ExecutionContext } from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { saveConfiguration } from '../../src/repository/configurations/configurations.ts';
import { createAdminTransport } from '../support/admin-transport.ts';
import { shopDeployment } from '../support/service.ts';
import { createClients } from './support/clients.ts';
import type { Problem } from './support/http.ts';
import { startSecondNode } from './support/second-node.ts';
import type { Recommendations } from './support/shops.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const overGrpc = createClient(ConfigurationService, createAdminTransport(service));

function overConnect() {
  const transport = createConnectTransport({ baseUrl: service.origin, httpVersion: '1.1' });
  return createClient(ConfigurationService, transport);
}

let configurationCount = 0;
const freshId = () => `life-${++configurationCount}`;

type Exchange = { status: number; text: string; etag: string | null; reason?: string };

/** @param id May be followed by a query. @param body Sent unchanged if it is text. */
async function send(
  method: string,
  id: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Exchange> {
  const path = /^(\?|$)/.test(id) ? `/configurations${id}` : `/configurations/${id}`;
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      authorization: service.authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const { type } = response.ok ? {} : (JSON.parse(text) as Partial<Problem>);
  return {
    status: response.status,
    text,
    etag: response.headers.get('etag'),
    reason: type?.split('/').at(-1)?.toLowerCase(),
  };
}

const maxOf = (max: number) => ({
  constraints: [{ query: { key: 'brand', match: 'a' }, limit: { max } }],
});

test('the entity tag of every answer is the version', async (t) => {
  const id = freshId();
  t.like(await send('POST', '', { configuration_id: id }), { status: 200, etag: '"1"' });
  t.like(await send('GET', id), { status: 200, etag: '"1"' });
  t.like(await send('PUT', id, maxOf(1)), { status: 200, etag: '"2"' });
  t.like(await send('GET', id), { status: 200, etag: '"2"' });
  t.is((await send('DELETE', id)).etag, null);
  t.like(await send('GET', id), { status: 404, etag: null });
  t.like(await send('PUT', id, {}), { etag: '"4"' });
});

test('If-Match writes and deletes only the version that the caller has read', async (t) => {
  const id = freshId();
  await send('PUT', id, maxOf(1));
  t.like(await send('PUT', id, maxOf(2), { 'if-match': '"1"' }), { status: 200, etag: '"2"' });
  t.like(await send('PUT', id, maxOf(3), { 'if-match': '"1"' }), { status: 412, reason: 'version_conflict' });
  t.like(await send('DELETE', id, undefined, { 'if-match': '"1"' }), {
    status: 412,
    reason: 'version_conflict',
  });
  t.like(JSON.parse((await send('GET', id)).text), maxOf(2));
  t.like(await send('DELETE', id, undefined, { 'if-match': '"2"' }), { status: 200 });
  t.like(await send('PUT', id, maxOf(1), { 'if-match': '"2"' }), { status: 412 });
});

test('If-None-Match: * writes only an absent or deleted configuration', async (t) => {
  const id = freshId();
  const create = () => send('PUT', id, {}, { 'if-none-match': '*' });
  t.like(await create(), { status: 200, etag: '"1"' });
  t.like(await create(), { status: 412, reason: 'version_conflict' });
  await send('DELETE', id);
  t.like(await create(), { status: 200, etag: '"3"' });
});

const tags: [header: string, value: string, status: number][] = [
  ['if-match', '1', 400],
  ['if-match', 'W/1', 400],
  ['if-match', '"1" "2"', 400],
  ['if-match', '"77", "78"', 412],
  ['if-match', '"0"', 412],
  ['if-match', '"1-gzip"', 412],
  ['if-match', '"99999999999"', 412],
  ['if-match', 'W/"2"', 412],
  ['if-match', 'W/"1"', 200],
  ['if-match', '*', 200],
  ['if-none-match', '"1"', 400],
  ['if-none-match', 'x', 400],
];

for (const [header, value, status] of tags) {
  test(`${header}: ${value} is ${status}${status === 200 ? '' : ' and writes nothing'}`, async (t) => {
    const id = freshId();
    await send('PUT', id, {});
    t.like(await send('PUT', id, maxOf(1), { [header]: value }), { status });
    t.like(await send('GET', id), { etag: status === 200 ? '"2"' : '"1"' });
  });
}

test('If-Match: * writes and deletes only what is there', async (t) => {
  const id = freshId();
  t.is((await send('PUT', id, {}, { 'if-match': '*' })).status, 412);
  await send('PUT', id, {});
  t.is((await send('DELETE', id, undefined, { 'if-match': '*' })).status, 200);
  t.is((await send('PUT', id, {}, { 'if-match': '*' })).status, 412);
});

test('a deletion that expects no configuration deletes none', async (t) => {
  const id = freshId();
  await send('PUT', id, {});
  t.is((await send('DELETE', id, undefined, { 'if-none-match': '*' })).status, 412);
  t.is((await send('GET', id)).status, 200);
});

const writers: Record<string, (id: string, max: number) => Promise<'written' | 'conflict'>> = {
  gRPC: (id, max) => grpcWrite(overGrpc, id, max),
  Connect: (id, max) => grpcWrite(overConnect(), id, max),
  async 'HTTP If-Match'(id, max) {
    const { status } = await send('PUT', id, maxOf(max), { 'if-match': '"1"' });
    return status === 200
      ? 'written'
      : status === 412
        ? 'conflict'
        : Promise.reject(new Error(String(status)));
  },
};

async function grpcWrite(client: typeof overGrpc, configurationId: string, max: number) {
  const configuration = {
    constraints: [{ rule: { case: 'diversify' as const, value: { key: 'brand' } }, limit: { max } }],
  };
  const options = { headers: { authorization: service.authorization } };
  try {
    await client.putConfiguration({ configurationId, configuration, expectedVersion: 1 }, options);
    return 'written';
  } catch (error) {
    if (ConnectError.from(error).code === Code.Aborted) return 'conflict';
    throw error;
  }
}

for (const [name, write] of Object.entries(writers)) {
  test(`one of ten writers with the same expected version wins, over ${name}`, async (t) => {
    const id = freshId();
    await send('PUT', id, {});
    const outcomes = await Promise.all(Array.from({ length: 10 }, (_, i) => write(id, i + 1)));
    t.is(outcomes.filter((outcome) => outcome === 'written').length, 1);
    t.is((await send('GET', id)).etag, '"2"');
    const { versions } = await overGrpc.listConfigurationVersions({ configurationId: id });
    t.is(versions.length, 2);
  });
}

test('a rollback restores the bytes of an answer, as a new version', async (t) => {
  const id = freshId();
  const first = `{ "preferences":[{"weight":2.0e0,"query":{"match":["ü","a/b"],"key":"brand"}}],
    "_note": null, "configuration_id":"${id}" , "constraints": []}`.replace('"_note": null, ', '');
  await send('PUT', id, first);
  const before = await send('GET', id);
  await send('PUT', id, maxOf(1));
  t.not((await send('GET', id)).text, before.text);
  const { version } = await overGrpc.rollBackConfiguration({ configurationId: id, version: 1 });
  t.is(version, 3);
  t.like(await send('GET', id), { status: 200, text: before.text, etag: '"3"' });
  const { changes } = await overGrpc.diffConfigurationVersions({ configurationId: id, fromVersion: 1 });
  t.deepEqual(changes, []);
});

test('a version that the current deployment would refuse does not take effect again', async (t) => {
  const id = freshId();
  const document = {
    configuration_id: id,
    constraints: [{ query: { key: 'no_longer_declared', match: 'a' } }],
  };
  const old = await saveConfiguration(service.database, { configurationId: id, document });
  await send('PUT', id, maxOf(1));
  const refused = overGrpc.rollBackConfiguration({ configurationId: id, version: old });
  t.is((await t.throwsAsync<ConnectError>(refused)).code, Code.InvalidArgument);
  t.is((await send('GET', id)).etag, '"2"');
});

test('a deleted configuration can be rolled back; a deletion and a version never written cannot', async (t) => {
  const id = freshId();
  await send('PUT', id, maxOf(1));
  await send('DELETE', id);
  for (const version of [2, 9]) {
    const refused = overGrpc.rollBackConfiguration({ configurationId: id, version });
    t.is((await t.throwsAsync<ConnectError>(refused)).code, Code.NotFound);
  }
  const stale = overGrpc.rollBackConfiguration({ configurationId: id, version: 1, expectedVersion: 1 });
  t.is((await t.throwsAsync<ConnectError>(stale)).code, Code.Aborted);
  const written = await overGrpc.rollBackConfiguration({
    configurationId: id,
    version: 1,
    comment: 'it was right',
  });
  t.is(written.version, 3);
  t.is((await send('GET', id)).status, 200);
  const { versions } = await overGrpc.listConfigurationVersions({ configurationId: id, pageSize: 1 });
  t.like(versions, [
    { version: 3, deletion: false, comment: 'it was right', clientId: service.admin.clientId },
  ]);
});

test('differences list the changes of a version', async (t) => {
  const id = freshId();
  await send('PUT', id, maxOf(1));
  await send('PUT', id, { ...maxOf(2), rotation: { rate: 0.2 } });
  const { changes } = await overGrpc.diffConfigurationVersions({
    configurationId: id,
    fromVersion: 1,
    toVersion: 2,
  });
  t.deepEqual(
    changes.map(({ pointer, beforeJson, afterJson }) => [pointer, beforeJson, afterJson]),
    [
      ['/constraints/0/limit/max', '1', '2'],
      ['/rotation', undefined, '{"rate":0.2}'],
    ],
  );
  for (const versions of [{ fromVersion: 7 }, { fromVersion: 1, toVersion: 7 }]) {
    const unknown = overGrpc.diffConfigurationVersions({ configurationId: id, ...versions });
    t.is((await t.throwsAsync<ConnectError>(unknown)).code, Code.NotFound);
  }
});

test('versions record the author, the time and the comment', async (t) => {
  const id = freshId();
  const editor = await createClients(service).create('configurations:*');
  const startMs = Date.now();
  const theirs = createAdminTransport({ ...service, authorization: editor.authorization });
  await createClient(ConfigurationService, theirs).putConfiguration({
    configurationId: id,
    configuration: {},
    comment: 'for the summer',
  });
  await send('PUT', id, maxOf(1));
  const { versions } = await overGrpc.listConfigurationVersions({ configurationId: id });
  t.deepEqual(
    versions.map(({ version, clientId, comment, deletion }) => [version, clientId, comment, deletion]),
    [
      [2, service.admin.clientId, '', false],
      [1, editor.clientId, 'for the summer', false],
    ],
  );
  for (const { createTime } of versions) {
    const writtenMs = timestampMs(createTime!);
    t.true(writtenMs > startMs - 60_000 && writtenMs < Date.now() + 60_000, String(writtenMs));
  }
});

test('over HTTP the comment is a query parameter', async (t) => {
  const id = freshId();
  t.like(await send('PUT', `${id}?comment=first%20%C3%BC`, {}), { status: 200 });
  t.like(await send('POST', `?comment=second`, { configuration_id: id }), { status: 200 });
  t.like(await send('DELETE', `${id}?comment=third`), { status: 200 });
  const { versions } = await overGrpc.listConfigurationVersions({ configurationId: id });
  t.deepEqual(
    versions.map(({ comment }) => comment),
    ['third', 'second', 'first ü'],
  );
  t.like(await send('PUT', `${id}?comment=${'x'.repeat(1_025)}`, {}), {
    status: 400,
    reason: 'parameter_invalid',
  });
});

test('a comment above 1,024 characters is refused on every transport', async (t) => {
  const id = freshId();
  const comment = 'x'.repeat(1_025);
  const calls = [
    () => overGrpc.putConfiguration({ configurationId: id, configuration: {}, comment }),
    () => overGrpc.createConfiguration({ configuration: { configurationId: id }, comment }),
    () => overGrpc.deleteConfiguration({ configurationId: id, comment }),
    () => overGrpc.rollBackConfiguration({ configurationId: id, version: 1, comment }),
  ];
  for (const call of calls) t.is((await t.throwsAsync<ConnectError>(call())).code, Code.InvalidArgument);
});

const wrongSchedules: [what: string, schedule: object, pointer: string][] = [
  ['no offset', { active_from: '2030-01-01T00:00:00' }, '/active_from'],
  ['a date alone', { active_until: '2030-01-01' }, '/active_until'],
  [
    'an end before the start',
    { active_from: '2030-01-02T00:00:00Z', active_until: '2030-01-01T00:00:00Z' },
    '/active_until',
  ],
];

for (const [what, schedule, pointer] of wrongSchedules) {
  test(`a schedule of ${what} is 400`, async (t) => {
    const { status, text } = await send('PUT', freshId(), schedule);
    t.is(status, 400);
    t.like(JSON.parse(text), { errors: [{ pointer }] });
  });
}

/** The only item of a list of the configuration. */
async function shownBy(nodeUrl: string, id: string): Promise<string | undefined> {
  const response = await fetch(`${nodeUrl}/shop/recommendations/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      device_id: 'd',
      page_type: 'home',
      lists: [{ configuration_id: id, list_name: 'l', list_size: 1 }],
    }),
  });
  const answer = (await response.json()) as Partial<Recommendations>;
  return answer.lists?.[0].items[0]?.item_id;
}

/** Stores the items of a schedule; returns the items of both nodes, and waits for them. */
async function startSchedule(t: ExecutionContext) {
  const { baseUrl, authorization } = service;
  for (const item of ['usual', 'sale']) {
    await fetch(`${baseUrl}/shop/items/product/${item}`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ brand: item }),
    });
  }
  const node = await startSecondNode(service, shopDeployment);
  t.teardown(node.stop);
  const nodes = [baseUrl, node.baseUrl];
  const id = freshId();
  return {
    id,
    showing: (brand: string) => ({ constraints: [{ query: { key: 'brand', match: brand } }] }),
    /** The time at which they were seen. */
    async until(item: string | undefined): Promise<number> {
      while ((await Promise.all(nodes.map((url) => shownBy(url, id)))).some((shown) => shown !== item))
        await delay(20);
      return Date.now();
    },
  };
}

const soon = () => Date.now() + 1_500;
const moment = (ms: number) => new Date(ms).toISOString();

test('a schedule takes effect on every node at its time', async (t) => {
  const { id, showing, until } = await startSchedule(t);
  await send('PUT', id, showing('usual'));
  await until('usual');
  const fromMs = soon();
  await send('PUT', id, { ...showing('sale'), active_from: moment(fromMs) });
  t.is((await send('GET', id)).etag, '"2"');
  t.true((await until('sale')) >= fromMs);
  await send('DELETE', id);
  await until(undefined);
});

test('the previous version returns on every node after a schedule', async (t) => {
  const { id, showing, until } = await startSchedule(t);
  await send('PUT', id, showing('usual'));
  await until('usual');
  const untilMs = soon();
  await send('PUT', id, { ...showing('sale'), active_until: moment(untilMs) });
  const shown = await shownBy(service.baseUrl, id);
  if (Date.now() < untilMs) t.is(shown, 'sale');
  while (Date.now() < untilMs) await delay(20);
  t.true((await until('usual')) >= untilMs);
});

const scheduledFor = (max: number, year: number) => ({
  ...maxOf(max),
  active_from: `${year}-12-01T00:00:00Z`,
});

async function summaryOf(id: string) {
  const { summaries } = await overGrpc.listConfigurations({ withSummaries: true });
  const summary = summaries.find(({ configurationId }) => configurationId === id)!;
  const periods = summary.periods.map(({ version, live, activeFrom }) =>
    live ? `live ${version}` : `${version} from ${new Date(timestampMs(activeFrom!)).getUTCFullYear()}`,
  );
  return { ...summary, periods };
}

test('a version without a schedule replaces the scheduled ones, unless the write keeps or moves them', async (t) => {
  const id = freshId();
  await send('PUT', id, maxOf(1));
  await send('PUT', id, scheduledFor(2, 2090));
  await send('PUT', id, scheduledFor(3, 2091));
  t.deepEqual((await summaryOf(id)).periods, ['3 from 2091', '2 from 2090', 'live 1']);
  t.like(await send('PUT', `${id}?keep_scheduled=true`, maxOf(4), { 'if-match': '"3"' }), { etag: '"4"' });
  t.deepEqual((await summaryOf(id)).periods, ['6 from 2091', '5 from 2090', 'live 4']);
  const start = encodeURIComponent('2089-12-01T00:00:00+01:00');
  t.like(await send('PUT', `${id}?keep_scheduled=true&scheduled_start=${start}`, maxOf(5)), { status: 200 });
  t.deepEqual((await summaryOf(id)).periods, ['9 from 2091', '8 from 2089', 'live 7']);
  await send('PUT', id, maxOf(6));
  t.deepEqual((await summaryOf(id)).periods, ['live 10']);
});

const refusedMoves: [what: string, query: string, schedule: object][] = [
  ['a start without keep_scheduled', 'scheduled_start=2089-12-01T00:00:00Z', scheduledFor(2, 2090)],
  ['a start and no scheduled version', 'keep_scheduled=true&scheduled_start=2089-12-01T00:00:00Z', {}],
  [
    'a start without an offset',
    'keep_scheduled=true&scheduled_start=2089-12-01T00:00:00',
    scheduledFor(2, 2090),
  ],
  [
    'a start behind the end',
    'keep_scheduled=true&scheduled_start=2095-12-01T00:00:00Z',
    { ...scheduledFor(2, 2090), active_until: '2094-01-01T00:00:00Z' },
  ],
];

for (const [what, query, schedule] of refusedMoves) {
  test(`${what} is 400, and nothing is written`, async (t) => {
    const id = freshId();
    await send('PUT', id, maxOf(1));
    await send('PUT', id, schedule);
    t.is((await send('PUT', `${id}?${query}`, maxOf(4))).status, 400);
    t.like(await send('GET', id), { etag: '"2"' });
  });
}

test('at most 20 scheduled versions are kept', async (t) => {
  const id = freshId();
  for (let year = 2100; year > 2079; year -= 1)
    await send('PUT', id, { ...scheduledFor(1, year), active_until: `${year}-12-02T00:00:00Z` });
  t.is((await send('PUT', `${id}?keep_scheduled=true`, maxOf(4))).status, 400);
  t.like(await send('GET', id), { etag: '"21"' });
});

test('summaries count the content of each configuration', async (t) => {
  const id = freshId();
  const search = { hides: [{ item_id: 'a' }], pins: [{ item_id: 'b', rank: 1 }], redirect: '/sale' };
  await send('PUT', id, { ...maxOf(1), search });
  t.like(await summaryOf(id), {
    version: 1,
    search: true,
    constraints: 1,
    pins: 1,
    hides: 1,
    redirect: true,
  });
});

test('a stored document that no version of the service can read is listed without counts', async (t) => {
  const id = freshId();
  const text = JSON.stringify({ ...maxOf(1), _note: 'a\0b' });
  await saveConfiguration(service.database, { configurationId: id, document: JSON.parse(text) });
  t.like(await summaryOf(id), { version: 1, constraints: 0, periods: [] });
});

test('summaries come in pages', async (t) => {
  const ids = ['paged-1', 'paged-2', 'paged-3'];
  for (const id of ids) await send('PUT', id, {});
  const read: string[] = [];
  let pageToken: string | undefined;
  while (pageToken !== '') {
    const page = { withSummaries: true, pageSize: 2, pageToken };
    const { summaries, nextPageToken } = await overGrpc.listConfigurations(page);
    t.true(summaries.length <= 2);
    read.push(...summaries.map(({ configurationId }) => configurationId));
    pageToken = nextPageToken;
  }
  t.deepEqual(
    read.filter((id) => id.startsWith('paged-')),
    ids,
  );
});
