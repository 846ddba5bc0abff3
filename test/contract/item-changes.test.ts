/** Partial changes of items by merge patch and mask, without undoing other changes. */

import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import test from 'ava';
import type { ItemSchema } from '../../gen/es/personalisation/v1/item_pb.js';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { shopDeployment } from '../support/service.ts';
import { startSecondNode } from './support/second-node.ts';
import { itemPath } from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const overGrpc = createClient(ItemService, createAdminTransport(service));

let itemCount = 0;
const freshId = () => `changed-${++itemCount}`;
const nameOf = (itemId: string) => ({ environment: 'shop', itemType: 'product', itemId });
const identityOf = (itemId: string) => ({ environment: 'shop', item_type: 'product', item_id: itemId });

type Headers = Record<string, string>;

/** @param body Sent unchanged if it is text. */
async function send(
  method: string,
  itemId: string,
  body?: object | string,
  headers: Headers = {},
  url = service.baseUrl,
) {
  const response = await fetch(url + itemPath({ itemId }), {
    method,
    headers: {
      authorization: service.authorization,
      'content-type': 'application/merge-patch+json',
      ...headers,
    },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  });
  const json = JSON.parse(await response.text());
  return { status: response.status, etag: response.headers.get('etag'), json };
}

const put = (itemId: string, item: object) => send('PUT', itemId, item);
const read = async (itemId: string) => (await send('GET', itemId)).json;

test('a patch changes its properties, removes those with null and replaces arrays', async (t) => {
  const id = freshId();
  await put(id, { title: 'Sofa', brand: 'Lumen', tags: ['a', 'b'], price: 10 });
  const answer = await send('PATCH', id, { price: 12, brand: null, tags: ['c'], description: 'Soft' });
  const item = { ...identityOf(id), title: 'Sofa', tags: ['c'], price: 12, description: 'Soft' };
  t.deepEqual(answer, { status: 200, etag: '"2"', json: item });
  t.deepEqual(await read(id), item);
});

test('attributes in the form of an object are changed one by one', async (t) => {
  const id = freshId();
  await put(id, { item_attributes: { width: 10, color: 'red' } });
  await send('PATCH', id, { item_attributes: { color: null, height: 3 } });
  t.deepEqual((await read(id)).item_attributes, { width: 10, height: 3 });
});

test('application/json is a merge patch too, and a change is searchable at once', async (t) => {
  const id = freshId();
  await put(id, { title: 'Before' });
  await send('PATCH', id, { title: 'After' }, { 'content-type': 'application/json' });
  const { baseUrl, authorization } = service;
  const found = await fetch(`${baseUrl}/shop/items?text=${id}`, { headers: { authorization } });
  const { items } = (await found.json()) as { items: JsonObject[] };
  t.deepEqual(items, [{ ...identityOf(id), title: 'After' }]);
});

const refusals: [name: string, patch: object | string, status: number, pointer?: string][] = [
  ['a property of the wrong type', { price: 'cheap' }, 415, '/price'],
  ['an undeclared property', { colour: 'red' }, 415, '/colour'],
  ['another identity', { item_id: 'other' }, 415, '/item_id'],
  ['an invalid time', { publication_datetime: 'soon' }, 415, '/publication_datetime'],
  ['an array', [], 415, ''],
  ['no JSON', '{', 422],
];

for (const [name, patch, status, pointer] of refusals) {
  test(`${name} is ${status} and changes nothing`, async (t) => {
    const id = freshId();
    await put(id, { title: 'Sofa' });
    const { json, ...answer } = await send('PATCH', id, patch);
    t.is(answer.status, status);
    if (pointer !== undefined) t.is(json.errors[0].pointer, pointer);
    t.like(await send('GET', id), { etag: '"1"' });
  });
}

test('an empty array is stored and changed as one, over gRPC too', async (t) => {
  const id = freshId();
  const colors = (values: string[]) => ({ properties: { colors: values } });
  await overGrpc.putItem({ ...nameOf(id), item: colors([]) });
  t.deepEqual(await read(id), { ...identityOf(id), colors: [] });
  await overGrpc.putItem({ ...nameOf(id), item: colors(['red']) });
  await overGrpc.updateItem({ ...nameOf(id), item: { ...colors([]), title: 'Sofa' } });
  t.deepEqual(await read(id), { ...identityOf(id), title: 'Sofa', colors: [] });
});

test('changing an unknown item is 404 and does not create it', async (t) => {
  const id = freshId();
  t.is((await send('PATCH', id, { title: 'Sofa' })).status, 404);
  t.is((await send('GET', id)).status, 404);
});

test('a required property cannot be removed', async (t) => {
  const { baseUrl, authorization } = service;
  const path = `${baseUrl}/news/items/strict/a`;
  const call = (method: string, body: object) =>
    fetch(path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await (await call('PUT', { section: 'home' })).text();
  const refused = await call('PATCH', { section: null });
  t.is(refused.status, 415);
  t.deepEqual(((await refused.json()) as { errors: { pointer: string }[] }).errors[0].pointer, '/section');
});

test('a disabled item stays disabled', async (t) => {
  const id = freshId();
  await put(id, {});
  await send('DELETE', id);
  await send('PATCH', id, { title: 'Sofa' });
  const { item } = await overGrpc.getItem(nameOf(id));
  t.like(item, { title: 'Sofa', enabled: false, revision: 3 });
});

test('If-Match changes only the revision that the caller has read', async (t) => {
  const id = freshId();
  await put(id, { title: 'First' });
  t.like(await send('PATCH', id, { title: 'Second' }, { 'if-match': '"1"' }), { status: 200, etag: '"2"' });
  t.is((await send('PATCH', id, { title: 'Third' }, { 'if-match': '"1"' })).status, 412);
  t.is((await send('PATCH', id, { title: 'Third' }, { 'if-match': '*' })).status, 200);
});

type Masked = { item: MessageInitShape<typeof ItemSchema>; paths?: string[] };
const stored = { title: 'Sofa', brand: 'Lumen', price: 10, tags: ['a'] };
const masks: [name: string, change: Masked, result: object][] = [
  [
    'named fields only',
    { item: { title: 'New', tags: ['z'] }, paths: ['title'] },
    { ...stored, title: 'New' },
  ],
  [
    'a property by its name',
    { item: { properties: { price: 3, brand: 'x' } }, paths: ['properties.price'] },
    { ...stored, price: 3 },
  ],
  [
    'fields that the message lacks, by removal',
    { item: {}, paths: ['tags', 'properties.brand'] },
    { title: 'Sofa', price: 10 },
  ],
  ['all fields of the message, if it is absent', { item: { title: 'New' } }, { ...stored, title: 'New' }],
];

for (const [name, { item, paths }, result] of masks) {
  test(`a mask changes ${name}`, async (t) => {
    const itemId = freshId();
    await put(itemId, stored);
    const updateMask = paths && { paths };
    const answer = await overGrpc.updateItem({ ...nameOf(itemId), item, updateMask });
    t.is(answer.item?.revision, 2);
    t.deepEqual(await read(itemId), { ...identityOf(itemId), ...result });
  });
}

for (const path of ['colour', 'properties', 'properties.title', 'item_id', 'revision', 'price']) {
  test(`a mask that names ${path} is refused`, async (t) => {
    const itemId = freshId();
    await put(itemId, stored);
    const request = { ...nameOf(itemId), item: { title: 'x' }, updateMask: { paths: [path] } };
    await t.throwsAsync(overGrpc.updateItem(request), { message: /update_mask/ });
  });
}

test('concurrent changes by two nodes all take effect', async (t) => {
  const second = await startSecondNode(service, shopDeployment);
  t.teardown(second.stop);
  const id = freshId();
  await put(id, { item_attributes: {} });
  const writers = 40;
  const patches = Array.from({ length: writers }, (_, i) => {
    const url = i % 2 === 0 ? service.baseUrl : second.baseUrl;
    return send('PATCH', id, { item_attributes: { [`by_${i}`]: i } }, {}, url);
  });
  const answers = await Promise.all(patches);
  t.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
  t.is(Object.keys((await read(id)).item_attributes).length, writers);
  answers.forEach(({ json }, i) => {
    t.is(json.item_attributes[`by_${i}`], i);
  });
});

test('an import of changes keeps other fields, and refuses unknown items', async (t) => {
  const [a, b, unknown] = [freshId(), freshId(), freshId()];
  await put(a, stored);
  await put(b, stored);
  const record = (itemId: string, change: object) => ({
    form: { case: 'json' as const, value: JSON.stringify({ ...identityOf(itemId), ...change }) },
  });
  const changes = [
    record(a, { price: 11, brand: null }),
    record(unknown, { price: 1 }),
    record(b, { price: 'cheap' }),
    { ...record(a, { title: 'Last' }), enabled: false },
  ];
  async function* requests() {
    const items = changes.map((change, line) => ({ line: BigInt(line), ...change }));
    yield { environment: 'shop', patch: true, items };
  }
  for await (const { acceptedCount, refused } of overGrpc.importItems(requests())) {
    t.is(acceptedCount, 2);
    t.deepEqual(
      refused.map(({ line, details }) => [Number(line), details[0].pointer]),
      [
        [1, '/item_id'],
        [2, '/price'],
      ],
    );
  }
  t.deepEqual(await read(a), { ...identityOf(a), title: 'Last', price: 11, tags: ['a'] });
  t.like((await overGrpc.getItem(nameOf(a))).item, { enabled: false, revision: 2 });
  t.deepEqual(await read(b), { ...identityOf(b), ...stored });
});
