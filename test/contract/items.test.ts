/** What may be stored as an item, what is refused and where, and that a GET answers exactly what was sent. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import test from 'ava';
import fc from 'fast-check';
import { getItem as getItemRpc } from './support/item-status.ts';
import type { Operation } from './support/operation.ts';
import {
  createItem,
  deleteItem,
  disableItem,
  enableItem,
  getItem,
  type ItemAddress,
  itemPath,
  putItem,
} from './support/operations.ts';
import { startTestedService } from './support/tested-service.ts';

const service = await startTestedService();
const { http } = service.transports;

let itemCount = 0;

/** An item of its own for each test. */
function freshAddress(): { itemId: string } {
  itemCount += 1;
  return { itemId: `item-${itemCount}` };
}

/** The status, and the pointers of a refusal. */
async function send(operation: Operation): Promise<[status: number, ...pointers: string[]]> {
  const { status, outcome } = await http(operation);
  return outcome.ok ? [status] : [status, ...outcome.pointers.toSorted()];
}

/** A PUT whose body may be anything. */
function putBody(address: ItemAddress, body: unknown): Operation {
  return { ...putItem(address), body };
}

async function read(address: ItemAddress): Promise<unknown> {
  const { outcome } = await http(getItem(address));
  return outcome.ok ? outcome.body : outcome.reason;
}

function withIdentity({ environment = 'shop', itemType = 'product', itemId }: ItemAddress, item: object) {
  return { environment, item_type: itemType, item_id: itemId, ...item };
}

test('the body may repeat the identity', async (t) => {
  const address = freshAddress();
  t.deepEqual(await send(putItem(address, withIdentity(address, {}))), [200]);
  t.deepEqual(await send(createItem({}, withIdentity(address, {}))), [200]);
});

const strangers = { environment: 'news', item_type: 'article', item_id: 'other' };

for (const [name, value] of Object.entries(strangers)) {
  test(`a PUT whose ${name} differs from the path is 415`, async (t) => {
    t.deepEqual(await send(putItem(freshAddress(), { [name]: value })), [415, `/${name}`]);
  });
}

for (const name of ['environment', 'item_type'] as const) {
  test(`a POST whose ${name} differs from the path is 415`, async (t) => {
    const item = { ...freshAddress(), item_id: 'x', [name]: strangers[name] };
    const { itemId: _, ...body } = item;
    t.deepEqual(await send(createItem({}, body)), [415, `/${name}`]);
  });
}

test('a PUT without a body touches a known item and changes nothing', async (t) => {
  const address = freshAddress();
  await send(putItem(address, { title: 'Chair' }));
  t.deepEqual(await send(putItem(address)), [200]);
  t.deepEqual(await read(address), withIdentity(address, { title: 'Chair' }));
});

test('a PUT without a body does not make an unknown item', async (t) => {
  const address = freshAddress();
  t.deepEqual(await send(putItem(address)), [404]);
  t.is(await read(address), 'ITEM_UNKNOWN');
});

test('an empty object is an item', async (t) => {
  const address = freshAddress();
  t.deepEqual(await send(putItem(address, {})), [200]);
  t.deepEqual(await read(address), withIdentity(address, {}));
});

for (const method of ['PUT', 'POST'] as const) {
  test(`${method} replaces the item as a whole`, async (t) => {
    const address = freshAddress();
    await send(putItem(address, { title: 'Chair', price: 3, tags: ['a'] }));
    const item = { item_id: address.itemId, description: 'New' };
    t.deepEqual(await send(method === 'PUT' ? putItem(address, item) : createItem({}, item)), [200]);
    t.deepEqual(await read(address), withIdentity(address, { description: 'New' }));
  });

  test(`${method} leaves a disabled item disabled`, async (t) => {
    const address = freshAddress();
    const item = { item_id: address.itemId };
    await send(putItem(address, {}));
    await send(disableItem(address));
    await send(method === 'PUT' ? putItem(address, item) : createItem({}, item));
    t.false((await getItemRpc(service, address)).enabled);
    await send(enableItem(address));
    await send(method === 'PUT' ? putItem(address, item) : createItem({}, item));
    t.true((await getItemRpc(service, address)).enabled);
  });
}

test('a touch leaves a disabled item disabled', async (t) => {
  const address = freshAddress();
  await send(putItem(address, {}));
  await send(deleteItem(address));
  await send(putItem(address));
  t.false((await getItemRpc(service, address)).enabled);
});

test('deleting, disabling and enabling may be repeated, and delete is disable', async (t) => {
  const address = freshAddress();
  await send(putItem(address, { title: 'Chair' }));
  for (const [operation, enabled] of [
    [deleteItem, false],
    [deleteItem, false],
    [disableItem, false],
    [enableItem, true],
    [enableItem, true],
    [disableItem, false],
    [deleteItem, false],
  ] as const) {
    t.deepEqual(await send(operation(address)), [200]);
    t.is((await getItemRpc(service, address)).enabled, enabled);
  }
  t.deepEqual(await read(address), withIdentity(address, { title: 'Chair' }));
});

test('every unknown field is named', async (t) => {
  const item = { title: 'Chair', colour: 'red', weight: 3, 'a/b~c': {}, Price: 3 };
  const pointers = ['/Price', '/a~1b~0c', '/colour', '/weight'];
  t.deepEqual(await send(putItem(freshAddress(), item)), [415, ...pointers]);
});

test('what is refused changes nothing', async (t) => {
  const address = freshAddress();
  await send(putItem(address, { title: 'Chair' }));
  await send(putItem(address, { title: 'Table', colour: 'red' }));
  t.deepEqual(await read(address), withIdentity(address, { title: 'Chair' }));
});

const notStrings = [3, true, [], {}, ['x']];

/** Declared properties with values that their types do not have. */
const wrongValues: Record<string, unknown[]> = {
  brand: notStrings,
  price: ['3', '', true, [], {}, [3]],
  in_stock: ['true', 0, 1, [], {}],
  released: [
    5,
    true,
    [],
    {},
    '',
    'soon',
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-11-20T25:00:00Z',
    '20 Nov 2026 10:00 UTC',
  ],
  colors: ['red', 3, true, {}, [1], [null], [['red']], ['red', {}]],
};

for (const [name, values] of Object.entries(wrongValues)) {
  for (const value of values) {
    test(`${name}: ${JSON.stringify(value)} is of the wrong type`, async (t) => {
      t.deepEqual(await send(putBody(freshAddress(), { [name]: value })), [415, `/${name}`]);
    });
  }
}

type Refusal = [fault: string, item: unknown, ...pointers: string[]];

const refusals: Refusal[] = [
  ['a list', [], ''],
  ['a string', '"x"', ''],
  ['null', 'null', ''],
  ...['title', 'description', 'uri', 'language', 'publication_datetime'].flatMap((name) =>
    notStrings.map((value): Refusal => [`${name} ${JSON.stringify(value)}`, { [name]: value }, `/${name}`]),
  ),
  ['categories that are no list', { categories: 'Home' }, '/categories'],
  ['a category that is a number', { categories: ['Home', 3] }, '/categories/1'],
  ['a category list with a number', { categories: [['Home', 3]] }, '/categories/0'],
  ['an empty category', { categories: ['/'] }, '/categories/0'],
  ['tags that are no list', { tags: 'a' }, '/tags'],
  ['a tag that is a number', { tags: ['a', 3] }, '/tags/1'],
  ['too many tags', { tags: Array(501).fill('a') }, '/tags'],
  ['images that are no list', { images: 'a.png' }, '/images'],
  ['an image that is a number', { images: [3] }, '/images/0'],
  ['an image without url', { images: ['a.png', { alt: 'A' }] }, '/images/1/url'],
  ['an image with a wrong width', { images: [{ url: 'a.png', width: -1 }] }, '/images/0/width'],
  ['an image with a broken height', { images: [{ url: 'a.png', height: 1.5 }] }, '/images/0/height'],
  ['an image with an unknown field', { images: [{ url: 'a.png', size: 3 }] }, '/images/0/size'],
  ['attributes that are text', { item_attributes: 'x' }, '/item_attributes'],
  ['an attribute without name', { item_attributes: [{ value: 3 }] }, '/item_attributes/0/name'],
  [
    'an attribute with an unknown field',
    { item_attributes: [{ name: 'a', unit: 'cm' }] },
    '/item_attributes/0/unit',
  ],
  ['a title that is too long', { title: 'x'.repeat(2049) }, '/title'],
  ['a NUL character', { title: 'a\0b' }, '/title'],
  ['half a character', '{"title":"\\ud800"}', '/title'],
];

for (const [fault, item, ...pointers] of refusals) {
  test(`${fault} is 415`, async (t) => {
    t.deepEqual(await send(putBody(freshAddress(), item)), [415, ...pointers]);
  });
}

test('a required property must be present', async (t) => {
  const address = { environment: 'news', itemType: 'strict', itemId: 'one' };
  t.deepEqual(await send(putItem(address, { title: 'x' })), [415, '/section']);
  t.deepEqual(await send(putItem(address, { section: null })), [415, '/section']);
  t.deepEqual(await send(putItem(address, { section: 'sport' })), [200]);
});

test('properties belong to their item type', async (t) => {
  const address = { itemType: 'article', itemId: 'one' };
  t.deepEqual(await send(putItem(address, { brand: 'Acme' })), [415, '/brand']);
});

const forms: Record<string, JsonObject> = {
  'images as URLs': { images: ['https://shop.example/a.png', 'b.png'] },
  'images as objects': { images: [{ url: 'a.png', alt: 'A', width: 10, height: 0, role: 'thumbnail' }] },
  'images of both forms': { images: ['a.png', { url: 'b.png' }] },
  'flat categories': { categories: ['Home', 'Chairs'] },
  'category paths': { categories: ['Home/Chairs', '/Garden/ Chairs/'] },
  'category lists': { categories: [['Home', 'Chairs'], ['Garden']] },
  'categories of all forms': { categories: ['Home', 'Home/Chairs', ['Garden', 'Chairs']] },
  'attributes as a list': {
    item_attributes: [{ name: 'size', value: { w: 1, h: [2, null] } }, { name: 'none' }],
  },
  'attributes as an object': { item_attributes: { size: { w: 1, h: [2, null] }, weight: 3, fragile: true } },
  'empty lists': { categories: [], tags: [], images: [], item_attributes: [], colors: [] },
  'an empty object of attributes': { item_attributes: {} },
  'empty texts': { title: '', description: '', brand: '' },
  'every property': {
    brand: 'Acme',
    price: -0.5,
    in_stock: false,
    released: '2026-11-20T10:00:00+01:00',
    colors: ['red', ''],
  },
  'null for absent': { title: null, price: null, tags: null },
  'other scripts': { title: '椅子 🪑 كرسي', tags: ['ñandú', 'e\u0301'] },
};

for (const [form, item] of Object.entries(forms)) {
  test(`${form} come back as they were sent`, async (t) => {
    const address = freshAddress();
    t.deepEqual(await send(putBody(address, item)), [200]);
    t.deepEqual(await read(address), withIdentity(address, item));
  });
}

const moments: Record<string, boolean> = {
  '2026-11-20T09:30:00Z': true,
  '2026-11-20T09:30:00+01:00': true,
  '2026-11-20T09:30:00.123456-11:30': true,
  '2024-02-29T00:00:00Z': true,
  '2026-02-29T00:00:00Z': false,
  '2026-11-20T09:30:00': false,
  '2026-11-20': false,
  '2026-11-20T09:30Z': false,
  '2026-13-01T00:00:00Z': false,
  '2026-11-20T24:30:00Z': false,
  '2026-11-20T09:30:00+25:00': false,
  '1795167000': false,
  now: false,
  '': false,
};

for (const [moment, isAccepted] of Object.entries(moments)) {
  test(`publication_datetime ${JSON.stringify(moment)} is ${isAccepted ? 'stored' : '415'}`, async (t) => {
    const address = freshAddress();
    const item = { publication_datetime: moment };
    t.deepEqual(await send(putItem(address, item)), isAccepted ? [200] : [415, '/publication_datetime']);
    if (isAccepted) t.deepEqual(await read(address), withIdentity(address, item));
  });
}

test('two environments do not mix', async (t) => {
  const here = { environment: 'shop', itemType: 'article', itemId: 'shared' };
  const there = { ...here, environment: 'news' };
  await send(putItem(here, { title: 'Here' }));
  t.is(await read(there), 'ITEM_UNKNOWN');
  t.deepEqual(await send(disableItem(there)), [400]);
  await send(putItem(there, { title: 'There' }));
  await send(deleteItem(there));
  t.deepEqual(await read(here), withIdentity(here, { title: 'Here' }));
  t.true((await getItemRpc(service, here)).enabled);
});

test('two item types do not mix', async (t) => {
  const product = freshAddress();
  const article = { ...product, itemType: 'article' };
  await send(putItem(product, { title: 'Product' }));
  t.is(await read(article), 'ITEM_UNKNOWN');
});

const ids = [
  'a/b',
  'a b',
  'a+b',
  '100%',
  '%2F',
  '?q=1&r#s',
  'enable',
  '..x',
  '椅子',
  '🪑',
  'e\u0301',
  '"quoted"',
  "' or 1=1 --",
  '{item_id}',
  'x'.repeat(256),
];

for (const itemId of ids) {
  test(`an item may have the id ${itemId.slice(0, 20)}`, async (t) => {
    const address = { itemId };
    t.deepEqual(await send(putItem(address, { title: 'Chair' })), [200]);
    t.deepEqual(await read(address), withIdentity(address, { title: 'Chair' }));
    t.deepEqual(await send(disableItem(address)), [200]);
    t.deepEqual(await send(enableItem(address)), [200]);
  });
}

test('an id above 256 characters is 400', async (t) => {
  const address = { itemId: 'x'.repeat(257) };
  t.deepEqual(await send(putItem(address, {})), [400, 'path:item_id']);
  t.deepEqual(await send(getItem(address)), [400, 'path:item_id']);
});

test('an id with a malformed escape is 400', async (t) => {
  t.deepEqual(await send({ ...getItem({ itemId: '' }), path: `${itemPath({ itemId: '' })}%ff` }), [
    400,
    'path:',
  ]);
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const category = fc.oneof(name.filter(isName), fc.array(name.filter(isName), { minLength: 1, maxLength: 3 }));
const image = fc.oneof(
  name,
  fc.record(
    { url: name, alt: text, width: fc.nat(100_000) },
    { requiredKeys: ['url'], noNullPrototype: true },
  ),
);

/** Not all separators and spaces. */
function isName(candidate: string): boolean {
  return candidate.replaceAll('/', '').trim() !== '';
}

const item = fc.record(
  {
    title: text,
    description: text,
    categories: fc.array(category, { maxLength: 4 }),
    tags: fc.array(text, { maxLength: 4 }),
    images: fc.array(image, { maxLength: 3 }),
    item_attributes: fc.oneof(
      fc.array(fc.record({ name, value }, { requiredKeys: ['name'], noNullPrototype: true }), {
        maxLength: 4,
      }),
      fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
    ),
    brand: text,
    price: fc.double({ noNaN: true, noDefaultInfinity: true }),
    in_stock: fc.boolean(),
    colors: fc.array(text, { maxLength: 4 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test('any item comes back as it was sent', async (t) => {
  const property = fc.asyncProperty(item, async (generated) => {
    const sent = JSON.parse(JSON.stringify(generated));
    const address = freshAddress();
    t.deepEqual(await send(putBody(address, sent)), [200]);
    t.deepEqual(await read(address), withIdentity(address, sent));
  });
  await fc.assert(property, { numRuns: 200 });
});
