/** Accepted and refused items, and GET returns what was sent. */

import test from 'ava';
import { fc } from '../support/properties.ts';
import { arbitraryItem } from './items/arbitrary-item.ts';
import { forms, moments, refusals, wrongValues } from './items/specification.ts';
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
} from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();

let itemCount = 0;

/** A separate item for each test. */
function freshAddress(): { itemId: string } {
  itemCount += 1;
  return { itemId: `item-${itemCount}` };
}

/** The status, and the pointers of a refusal. */
async function send(operation: Operation): Promise<[status: number, ...pointers: string[]]> {
  const { status, outcome } = await service.transports.http(operation);
  return outcome.ok ? [status] : [status, ...outcome.pointers.toSorted()];
}

/** A PUT with any body. */
function putBody(address: ItemAddress, body: unknown): Operation {
  return { ...putItem(address), body };
}

async function read(address: ItemAddress): Promise<unknown> {
  const { outcome } = await service.transports.http(getItem(address));
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
  test(`a PUT with a ${name} different from the path is 415`, async (t) => {
    t.deepEqual(await send(putItem(freshAddress(), { [name]: value })), [415, `/${name}`]);
  });
}

for (const name of ['environment', 'item_type'] as const) {
  test(`a POST with a ${name} different from the path is 415`, async (t) => {
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

test('a PUT without a body does not create an item', async (t) => {
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
  test(`${method} replaces the whole item`, async (t) => {
    const address = freshAddress();
    await send(putItem(address, { title: 'Chair', price: 3, tags: ['a'] }));
    const item = { item_id: address.itemId, description: 'New' };
    t.deepEqual(await send(method === 'PUT' ? putItem(address, item) : createItem({}, item)), [200]);
    t.deepEqual(await read(address), withIdentity(address, { description: 'New' }));
  });

  test(`${method} keeps a disabled item disabled`, async (t) => {
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

test('a touch keeps a disabled item disabled', async (t) => {
  const address = freshAddress();
  await send(putItem(address, {}));
  await send(deleteItem(address));
  await send(putItem(address));
  t.false((await getItemRpc(service, address)).enabled);
});

test('deleting, disabling and enabling are repeatable, and deleting disables', async (t) => {
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

test('every unknown field is reported', async (t) => {
  const item = { title: 'Chair', colour: 'red', weight: 3, 'a/b~c': {}, Price: 3 };
  const pointers = ['/Price', '/a~1b~0c', '/colour', '/weight'];
  t.deepEqual(await send(putItem(freshAddress(), item)), [415, ...pointers]);
});

test('a refused write changes nothing', async (t) => {
  const address = freshAddress();
  await send(putItem(address, { title: 'Chair' }));
  await send(putItem(address, { title: 'Table', colour: 'red' }));
  t.deepEqual(await read(address), withIdentity(address, { title: 'Chair' }));
});

for (const [name, values] of Object.entries(wrongValues)) {
  for (const value of values) {
    test(`${name}: ${JSON.stringify(value)} is of the wrong type`, async (t) => {
      t.deepEqual(await send(putBody(freshAddress(), { [name]: value })), [415, `/${name}`]);
    });
  }
}

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

for (const [form, item] of Object.entries(forms)) {
  test(`${form} are returned as they were sent`, async (t) => {
    const address = freshAddress();
    t.deepEqual(await send(putBody(address, item)), [200]);
    t.deepEqual(await read(address), withIdentity(address, item));
  });
}

for (const [moment, isAccepted] of Object.entries(moments)) {
  test(`publication_datetime ${JSON.stringify(moment)} is ${isAccepted ? 'stored' : '415'}`, async (t) => {
    const address = freshAddress();
    const item = { publication_datetime: moment };
    t.deepEqual(await send(putItem(address, item)), isAccepted ? [200] : [415, '/publication_datetime']);
    if (isAccepted) t.deepEqual(await read(address), withIdentity(address, item));
  });
}

test('items of two environments are separate', async (t) => {
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

test('items of two types are separate', async (t) => {
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

test('any item is returned as it was sent', async (t) => {
  const property = fc.asyncProperty(arbitraryItem, async (generated) => {
    const sent = JSON.parse(JSON.stringify(generated));
    const address = freshAddress();
    t.deepEqual(await send(putBody(address, sent)), [200]);
    t.deepEqual(await read(address), withIdentity(address, sent));
  });
  await fc.assert(property, { numRuns: 200 });
});
