/** Revisions of items: entity tags, conditional writes and conditional reads. */

import { Code, ConnectError, createClient } from '@connectrpc/connect';
import test from 'ava';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createClients } from './support/clients.ts';
import { itemPath } from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const overGrpc = createClient(ItemService, createAdminTransport(service));

let itemCount = 0;
const freshId = () => `versioned-${++itemCount}`;

type Headers = Record<string, string>;

/** @param method May include a suffix of the path. */
async function send(method: string, itemId: string, body?: object, headers: Headers = {}) {
  const [verb, rest = ''] = method.split(' ');
  const response = await fetch(service.baseUrl + itemPath({ itemId }) + rest, {
    method: verb,
    headers: {
      authorization: service.authorization,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, etag: response.headers.get('etag'), text };
}

const titleOf = async (itemId: string) => JSON.parse((await send('GET', itemId)).text).title;

test('the entity tag of an item is the number of its writes', async (t) => {
  const id = freshId();
  t.like(await send('PUT', id, { title: 'Sofa' }), { status: 200, etag: '"1"' });
  t.like(await send('GET', id), { status: 200, etag: '"1"' });
  t.like(await send('PUT', id), { status: 200, etag: '"2"' });
  await send('DELETE', id);
  t.like(await send('GET', id), { status: 200, etag: '"3"' });
  t.like(await send('GET', freshId()), { status: 404, etag: null });
});

test('disabling is a write of an item, even of a disabled one', async (t) => {
  const id = freshId();
  await send('PUT', id, {});
  await send('DELETE', id);
  await send('DELETE', id);
  t.like(await send('GET', id), { status: 200, etag: '"3"' });
});

test('If-Match writes only the revision that the caller has read', async (t) => {
  const id = freshId();
  await send('PUT', id, { title: 'First' });
  t.like(await send('PUT', id, { title: 'Second' }, { 'if-match': '"1"' }), { status: 200, etag: '"2"' });
  t.like(await send('PUT', id, { title: 'Third' }, { 'if-match': '"1"' }), { status: 412 });
  t.like(await send('PUT', id, undefined, { 'if-match': '"1"' }), { status: 412 });
  t.is(await titleOf(id), 'Second');
  t.like(await send('PUT', id, undefined, { 'if-match': '"2"' }), { status: 200, etag: '"3"' });
  t.is(await titleOf(id), 'Second');
});

test('If-Match: * requires an existing item, If-None-Match: * requires none', async (t) => {
  const id = freshId();
  t.like(await send('PUT', id, {}, { 'if-match': '*' }), { status: 412 });
  t.like(await send('GET', id), { status: 404 });
  t.like(await send('PUT', id, {}, { 'if-none-match': '*' }), { status: 200, etag: '"1"' });
  t.like(await send('PUT', id, {}, { 'if-none-match': '*' }), { status: 412 });
  t.like(await send('PUT', id, undefined, { 'if-none-match': '*' }), { status: 412 });
  t.like(await send('PUT', id, {}, { 'if-match': '*' }), { status: 200, etag: '"2"' });
  t.like(await send('PUT', freshId(), undefined, { 'if-match': '*' }), { status: 404 });
});

for (const method of ['DELETE', 'POST /disable', 'POST /enable']) {
  const enables = method === 'POST /enable';
  test(`${method} with If-Match changes the status of the revision that the caller has read`, async (t) => {
    const id = freshId();
    const ofUnknown = method === 'DELETE' ? 404 : 400;
    t.like(await send(method, id, undefined, { 'if-match': '"1"' }), { status: ofUnknown });
    await send('PUT', id, { title: 'Sofa' });
    await send(enables ? 'DELETE' : 'PUT', id);
    for (const stale of ['"1"', '"3"'])
      t.like(await send(method, id, undefined, { 'if-match': stale }), { status: 412 });
    const name = { environment: 'shop', itemType: 'product', itemId: id };
    const isEnabled = async () => (await overGrpc.getItem(name)).item?.enabled;
    t.is(await isEnabled(), !enables);
    t.like(await send(method, id, undefined, { 'if-match': '"2"' }), { status: 200 });
    t.is(await isEnabled(), enables);
    t.like(await send(method, id, undefined, { 'if-match': '*' }), { status: 200 });
    t.like(await send('GET', id), { status: 200, etag: '"4"' });
    t.is(await titleOf(id), 'Sofa');
  });
}

test('over gRPC the status of an item at another revision is not changed', async (t) => {
  const itemId = freshId();
  const name = { environment: 'shop', itemType: 'product', itemId };
  await overGrpc.putItem({ ...name, item: {} });
  const stale = await t.throwsAsync(overGrpc.deleteItem({ ...name, expectedRevision: 2 }));
  t.is(ConnectError.from(stale).code, Code.Aborted);
  await overGrpc.deleteItem({ ...name, expectedRevision: 1 });
  t.is((await overGrpc.getItem(name)).item?.enabled, false);
});

const known: [header: string, status: number][] = [
  ['"1"', 304],
  ['W/"1"', 304],
  ['"7", "1"', 304],
  ['*', 304],
  ['"7"', 200],
  ['x', 200],
];

for (const [header, status] of known) {
  test(`a GET with If-None-Match: ${header} of an item at "1" is ${status}`, async (t) => {
    const id = freshId();
    await send('PUT', id, {});
    const answer = await send('GET', id, undefined, { 'if-none-match': header });
    t.like(answer, { status, etag: '"1"' });
    t.is(answer.text === '', status === 304);
  });
}

test('a GET of an unknown item is 404 with any If-None-Match', async (t) => {
  t.is((await send('GET', freshId(), undefined, { 'if-none-match': '*' })).status, 404);
});

test('one of ten writers with the same expected revision wins', async (t) => {
  const itemId = freshId();
  await send('PUT', itemId, {});
  const name = { environment: 'shop', itemType: 'product', itemId };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) =>
      overGrpc.putItem({ ...name, item: { title: String(i) }, expectedRevision: 1 }),
    ),
  );
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  t.deepEqual(
    failures.map((failure) => ConnectError.from(failure).code),
    Array.from({ length: 9 }, () => Code.Aborted),
  );
  t.is((await send('GET', itemId)).etag, '"2"');
});

test('writes with an expected revision reach every follower of changes', async (t) => {
  const itemId = freshId();
  await send('PUT', itemId, { title: 'First' });
  await send('PUT', itemId, { title: 'Second' }, { 'if-match': '"1"' });
  const { baseUrl, authorization } = service;
  const found = await fetch(`${baseUrl}/shop/items?text=${itemId}`, { headers: { authorization } });
  const { items } = (await found.json()) as { items: { title: string }[] };
  t.deepEqual(
    items.map(({ title }) => title),
    ['Second'],
  );
});

test('an import by newer_by stores only what is newer at the source', async (t) => {
  const id = freshId();
  const importOnce = async (...times: (string | number | undefined)[]) => {
    const items = times.map((time, i) => ({
      line: BigInt(i + 1),
      form: {
        case: 'json' as const,
        value: JSON.stringify({
          item_type: 'product',
          item_id: id,
          title: String(time),
          item_attributes: time === undefined ? {} : { updated_at: time },
        }),
      },
    }));
    async function* requests() {
      yield { environment: 'shop', items, newerBy: 'updated_at' };
    }
    for await (const { acceptedCount, olderCount, refused } of overGrpc.importItems(requests()))
      return [acceptedCount, olderCount, refused.map(({ details }) => details[0].pointer).join()];
  };
  t.deepEqual(await importOnce('2026-11-02T00:00:00Z'), [1, 0, '']);
  t.deepEqual(await importOnce('2026-11-01T23:00:00Z', '2026-11-02T01:00:00+01:00'), [0, 2, '']);
  t.is(await titleOf(id), '2026-11-02T00:00:00Z');
  t.deepEqual(await importOnce('2026-11-03T00:00:00Z', '2026-11-02T12:00:00Z', undefined), [
    1,
    1,
    '/updated_at',
  ]);
  t.is(await titleOf(id), '2026-11-03T00:00:00Z');
});

test('DELETE with purge deletes the document for ever, with the scope admin', async (t) => {
  const id = freshId();
  await send('PUT', id, { title: 'Secret sofa' });
  const { authorization } = await createClients(service).create('items:shop');
  const purge = (headers: Headers = {}) => send('DELETE ?purge=true', id, undefined, headers);
  t.is((await purge({ authorization })).status, 403);
  t.is((await purge({ 'if-match': '"7"' })).status, 412);
  t.is((await purge()).status, 200);
  t.is((await send('GET', id)).status, 404);
  t.is((await purge()).status, 404);
  const exported: string[] = [];
  for await (const { items } of overGrpc.exportItems({ environment: 'shop' }))
    exported.push(...items.map(({ json }) => json));
  t.false(exported.join().includes('expiration_datetime'));
  t.false(exported.join().includes(`"${id}"`));
  const listed = await fetch(`${service.baseUrl}/shop/items?text=${id}`, {
    headers: { authorization: service.authorization },
  });
  t.is(((await listed.json()) as { total_size: number }).total_size, 0);
  t.is((await send('PATCH', id, { title: 'Half' })).status, 415);
  t.is((await send('PUT', id, { title: 'New' })).status, 200);
  t.is(await titleOf(id), 'New');
});
