/** Imports as jobs of the service: upload, mapping, causes, rejected records and limits. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

const deployment = `
environments:
  - name: shop
    time_zone: Europe/Berlin
    item_types: [ { name: product, properties: [
      { name: price, type: number }, { name: in_stock, type: boolean }, { name: brand, type: string } ] } ]
  - name: small
    item_types: [ { name: product } ]
`;

const service = testedService(deployment);

type Import = {
  import_id: string;
  state: string;
  progress: number;
  mapping: string;
  accepted_count: number;
  new_count: number;
  rejected_count: number;
  skipped_count: number;
  kept_count: number;
  causes: { pointer: string; detail: string; count: number; first_line: number; example: string }[];
  failure: string;
  expires_at?: string;
};

const columns = ['Artikelnummer', 'Titel', 'Preis', 'Bestand'];
const file = {
  file_name: 'Artikel.csv',
  format: 'csv',
  columns,
};

const mapping = (as: string) => `
items:
  item_id: Artikelnummer
  item_type: { value: product }
  title: Titel
  price: { column: Preis, as: ${as} }
  in_stock: { column: Bestand, as: boolean }
`;

async function upload(http: JsonClient, parts: readonly string[], given: object = file) {
  const { status, body } = await http.post<Import>('/shop/imports', given);
  if (status !== 201) throw new Error(JSON.stringify(body));
  for (const [part, content] of parts.entries()) {
    const stored = await http.post(`/shop/imports/${body.import_id}/parts`, { part, content });
    if (stored.status !== 200) throw new Error(JSON.stringify(stored.body));
  }
  return body.import_id;
}

async function run(http: JsonClient, id: string, start: object): Promise<Import> {
  const started = await http.post<Import>(`/shop/imports/${id}/starts`, start);
  if (started.status !== 202) throw new Error(JSON.stringify(started.body));
  for (;;) {
    const { body } = await http.get<Import>(`/shop/imports/${id}`);
    if (!['queued', 'running'].includes(body.state)) return body;
    await delay(20);
  }
}

const rejectedOf = async (id: string) => {
  const { baseUrl, authorization } = service;
  const answer = await fetch(`${baseUrl}/shop/imports/${id}/rejected`, { headers: { authorization } });
  return { type: answer.headers.get('content-type'), text: await answer.text() };
};

const table = `${columns.join(';')}\n${['A1;Stuhl;1.299,00;3', 'A2;Tisch;viel;0', 'A3;"Bank; lang";1,299;1', ';Regal;5,00;1'].join('\n')}\n`;

test('an import validates, reports causes, stores items, and is repeated with another mapping', async (t) => {
  const http = createJsonClient(service);
  const place = table.indexOf('Tisch');
  const id = await upload(http, [table.slice(0, place), table.slice(place)]);
  const trial = await run(http, id, { part_count: 2, mapping: mapping('number'), validate_only: true });
  t.like(trial, { state: 'done', accepted_count: 1, new_count: 1, rejected_count: 3, progress: 1 });
  t.is((await http.get('/shop/items/product/A1')).status, 404);
  t.deepEqual(
    trial.causes.map(({ pointer, detail, count, first_line: line, example }) => [
      pointer,
      detail,
      count,
      line,
      example,
    ]),
    [
      ['/price', '"…" is not a number.', 1, 3, 'viel'],
      ['/price', '"…" has two readings; convert it as decimal_comma or decimal_point.', 1, 4, '1,299'],
      ['/item_id', 'Is required.', 1, 5, ''],
    ],
  );

  const real = await run(http, id, { part_count: 2, mapping: mapping('decimal_comma') });
  t.like(real, { state: 'done', accepted_count: 2, rejected_count: 2, kept_count: 2 });
  t.like((await http.get('/shop/items/product/A3')).body, {
    title: 'Bank; lang',
    price: 1.299,
    in_stock: true,
  });
  t.truthy(real.expires_at, 'the file can be read again');
  const { type, text } = await rejectedOf(id);
  t.regex(type!, /^text\/csv/);
  t.deepEqual(text.trim().split('\n'), [
    '_rejected;Artikelnummer;Titel;Preis;Bestand',
    `"price: ""viel"" is not a number such as 1.234,50.";A2;Tisch;viel;0`,
    '"item_id: Is required.";;Regal;5,00;1',
  ]);

  const found = await http.get<{ imports: Import[] }>(
    `/shop/imports?${columns
      .toReversed()
      .map((name) => `columns=${name}`)
      .join('&')}`,
  );
  const same = found.body.imports.find(({ import_id }) => import_id === id);
  t.is(same?.mapping, mapping('decimal_comma'), 'the mapping for the same columns');
  t.deepEqual((await http.get<{ imports: [] }>('/shop/imports?columns=Titel')).body.imports, []);
});

test('failures and rejected records are announced; validations are not', async (t) => {
  const http = createJsonClient(service);
  const { baseUrl, authorization } = service;
  const id = await upload(http, [table]);
  const start = { part_count: 1, mapping: mapping('decimal_comma') };
  await run(http, id, { ...start, validate_only: true });
  await run(http, id, start);
  await run(http, id, { part_count: 1, mapping: mapping('number').replace('Titel', 'Name') });
  const changes = await fetch(`${baseUrl}/shop/changes`, { headers: { authorization } });
  const own = (await changes.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ data }) => data.import_id === id);
  const shared = { import_id: id, file_name: 'Artikel.csv' };
  t.deepEqual(
    own.map(({ type, data }) => ({ type, data })),
    [
      { ...shared, state: 'done', accepted_count: 2, rejected_count: 2 },
      { ...shared, state: 'failed', accepted_count: 0, rejected_count: 0 },
    ].map((data) => ({ type: 'personalisation.import.failed', data })),
  );
});

test('a file whose records are all stored is erased; others can be cancelled and started again', async (t) => {
  const http = createJsonClient(service);
  const lines = ['a', 'b'].map((id) =>
    JSON.stringify({ item_type: 'product', item_id: `line-${id}`, title: id }),
  );
  const given = { file_name: 'lines.ndjson', format: 'ndjson', columns: ['item_id', 'item_type', 'title'] };
  const id = await upload(http, [lines.join('\n')], given);
  t.like((await http.send<Import>('DELETE', `/shop/imports/${id}`)).body, { state: 'cancelled' });
  const whole = await run(http, id, { part_count: 1 });
  t.like(whole, { state: 'done', accepted_count: 2, rejected_count: 0, expires_at: undefined });
  t.is((await http.post(`/shop/imports/${id}/starts`, { part_count: 1 })).status, 404);
  t.is((await http.post(`/shop/imports/${id}/parts`, { part: 0, content: 'x' })).status, 404);
  t.deepEqual(await rejectedOf(id), { type: 'application/x-ndjson', text: '' });
});

test('faults of the mapping and the file are reported', async (t) => {
  const http = createJsonClient(service);
  const id = await upload(http, [table]);
  const wrong = await http.post<{ errors: object[] }>(`/shop/imports/${id}/starts`, {
    part_count: 1,
    mapping: 'items: 5',
  });
  t.is(wrong.status, 400);
  t.like(wrong.body.errors[0], { pointer: '/mapping' });
  const lacking = await http.post<{ errors: object[] }>(`/shop/imports/${id}/starts`, { part_count: 3 });
  t.like(lacking.body.errors[0], { pointer: '/part_count', detail: 'Part 1 of the file is missing.' });
  const unknown = mapping('number').replace('Titel', 'Name');
  const failed = await run(http, id, { part_count: 1, mapping: unknown });
  t.is(failed.state, 'failed');
  t.regex(failed.failure, /title: The file has no column "Name"/);
  t.is((await http.get('/shop/imports/unknown')).status, 404);
  t.is((await http.get(`/small/imports/${id}`)).status, 404, 'of another environment');
});

test('an environment keeps five files; an idle one gives way', async (t) => {
  const http = createJsonClient(service);
  const create = () =>
    http.post<Import>('/small/imports', { file_name: 'x.csv', format: 'csv', columns: ['x'] });
  const made = await Promise.all(Array.from({ length: 8 }, create));
  t.deepEqual(made.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 429, 429, 429]);
  const first = made.find(({ status }) => status === 201)!.body.import_id;
  await http.post(`/small/imports/${first}/parts`, { part: 0, content: 'item_id\n' });
  await http.post(`/small/imports/${first}/starts`, { part_count: 1, validate_only: true });
  const find = async () => (await http.get<Import>(`/small/imports/${first}`)).body;
  while ((await find()).state !== 'done') await delay(20);
  t.is((await create()).status, 201);
  t.is((await find()).expires_at, undefined, 'its file is erased');
});

test('a part has 2 MiB at most, and needs the scope of items', async (t) => {
  const http = createJsonClient(service);
  const id = await upload(http, []);
  const long = await http.post(`/shop/imports/${id}/parts`, { part: 0, content: 'ä'.repeat(1_048_577) });
  t.is(long.status, 400);
  t.is((await http.post(`/shop/imports/${id}/parts`, { part: 32, content: 'x' })).status, 400);
  const { authorization } = await createClients(service).create('recommendations:shop');
  const reader = createJsonClient({ baseUrl: service.baseUrl, authorization });
  t.is((await reader.get('/shop/imports')).status, 403);
});
