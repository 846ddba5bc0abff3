/** Changes of database rows at the path of Debezium's HTTP sink. */

import test from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - name: shop
    item_types:
      - name: product
        properties: [ { name: price, type: number }, { name: brand, type: string } ]
    changed_tables:
      - table: products
        item_type: product
        mapping:
          items: { item_id: id, title: name, price: { column: price, as: number }, brand: { value: Acme } }
          skip_when: { column: hidden, is: 'true' }
`);

type Row = Record<string, unknown>;
type Change = Record<string, unknown>;
type Applied = {
  accepted_count: number;
  refused: { line: number; details: { pointer: string; detail: string }[] }[];
};

const source = { connector: 'postgresql', schema: 'public', table: 'products', lsn: 24023128 };
const stamp = { ts_ms: 1_760_000_000_000, ts_ns: '@1760000000000000123' };

const change = (op: string, row: Row, over: Change = {}): Change => ({
  op,
  before: op === 'd' ? row : null,
  after: op === 'd' ? null : row,
  source,
  ...stamp,
  ...over,
});

/** Times in nanoseconds are larger than a double holds. */
const textOf = (body: unknown) => JSON.stringify(body).replaceAll(/"@(\d+)"/g, '$1');

const client = (): JsonClient => createJsonClient(service);
const send = (body: unknown, headers?: Record<string, string>) =>
  client().post<Applied>('/shop/items/debezium', textOf(body), headers);
const itemOf = async (id: string, type = 'product') =>
  (await client().get<Row>(`/shop/items/${type}/${id}`)).body;
const isShown = async (id: string) => {
  const { body } = await client().get<{ items: Row[] }>('/shop/items?status=enabled');
  return body.items.some(({ item_id }) => item_id === id);
};

const schema = {
  type: 'struct',
  fields: [{ type: 'struct', fields: [], field: 'before' }],
  name: 'shop.Envelope',
};

for (const [name, wrap, headers] of [
  ['one change', (one: Change) => one, undefined],
  ['an array', (one: Change) => [one], undefined],
  ['a change with its schema', (one: Change) => ({ schema, payload: one }), undefined],
  [
    'a CloudEvent',
    (one: Change) => ({
      specversion: '1.0',
      id: 'name:shop;lsn:1',
      source: '/debezium/postgresql/shop',
      type: 'io.debezium.connector.postgresql.DataChangeEvent',
      iodebeziumop: one.op,
      iodebeziumtable: 'products',
      data: { schema, payload: { before: one.before, after: one.after } },
    }),
    { 'content-type': 'application/cloudevents+json' },
  ],
] as const)
  test(`${name} stores, updates and deletes an item`, async (t) => {
    const id = `p-${name.replaceAll(' ', '-')}`;
    const steps: [op: string, row: Row, expected: Row | undefined][] = [
      ['c', { id, name: 'Mug', price: '9.50' }, { title: 'Mug', price: 9.5, brand: 'Acme' }],
      ['r', { id, name: 'Mug', price: '9.00' }, { title: 'Mug', price: 9 }],
      ['u', { id, name: 'Cup', price: 8 }, { title: 'Cup', price: 8 }],
      ['d', { id, name: null, price: null }, undefined],
      ['c', { id, name: 'Cup', price: 8 }, { title: 'Cup' }],
    ];
    for (const [op, row, expected] of steps) {
      t.like(await send(wrap(change(op, row)), headers), {
        status: 200,
        body: { accepted_count: 1, refused: [] },
      });
      t.is(await isShown(id), expected !== undefined, op);
      if (expected) t.like(await itemOf(id), expected);
    }
  });

test('of several changes of an item the last counts, and a batch sent again changes nothing', async (t) => {
  const row = { id: 'many', name: 'A', price: 1 };
  const changes = [
    change('c', row),
    change('d', row),
    change('c', { ...row, name: 'B' }),
    change('u', { ...row, name: 'C' }),
    { payload: null, schema: null },
    change('c', { id: 'gone', name: 'G', price: 1 }),
    change('d', { id: 'gone', name: null, price: null }),
  ];
  for (const _ of [1, 2]) {
    t.like(await send(changes), { body: { accepted_count: 7 } });
    t.like(await itemOf('many'), { title: 'C' });
    t.false(await isShown('gone'));
  }
});

test('an updated row keeps the status that its item has', async (t) => {
  const row = { id: 'hidden', name: 'H', price: 1 };
  await send(change('c', row));
  await client().post('/shop/items/product/hidden/disable');
  await send(change('u', { ...row, name: 'I' }));
  t.like(await itemOf('hidden'), { title: 'I' });
  t.false(await isShown('hidden'));
});

test('faulty changes are reported by position, and the others applied', async (t) => {
  const { status, body } = await send([
    change('t', {}),
    change('u', { id: 'bad', name: 'x', price: 'many' }),
    change('c', { id: 'good', name: 'G', price: 1 }),
    change('d', { name: 'no id' }),
    change('c', { item_id: 'x', item_type: 'unknown' }, { source: { table: 'others' } }),
    change('c', { id: 'skipped', name: 'S', price: 1, hidden: true }),
    { op: 'c', source },
    change('c', { item_id: 'plain', item_type: 'product', title: 'P', note: 'n' }, { source: {} }),
  ]);
  t.is(status, 200);
  t.is(body.accepted_count, 3);
  t.deepEqual(
    body.refused.map(({ line, details }) => [line, details[0].pointer]),
    [
      [0, '/op'],
      [1, '/price'],
      [3, '/item_id'],
      [4, '/item_type'],
      [6, '/after'],
    ],
  );
  t.true(await isShown('good'));
  t.false(await isShown('skipped'));
  t.like(await itemOf('plain'), { title: 'P', item_attributes: { note: 'n' } });
});

test('a body that has no changes is refused', async (t) => {
  t.like(await send('{'), { status: 400 });
  t.like(await send([]), { status: 400, reason: 'body_invalid' });
  t.like(await send(Array.from({ length: 5_001 }, () => ({}))), { status: 400, reason: 'body_invalid' });
});
