/** Product feeds over HTTP and the command line. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { SaxesParser } from 'saxes';
import { ExportFeedRequestSchema } from '../../../gen/es/personalisation/v1/feed_service_pb.js';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import type { Call } from '../../../src/handlers/chain/call.ts';
import type { StreamHandler } from '../../../src/handlers/chain/operation.ts';
import { createFeedHandlers } from '../../../src/handlers/items/feeds.ts';
import type { Catalog } from '../../../src/ranking/catalog/catalog.ts';
import type { Caller } from '../../../src/security/caller.ts';
import { runAgainst } from '../../cli/support/command.ts';
import { createJsonClient } from '../../support/json-client.ts';
import { shopDeployment, startTestService, type TestService } from '../../support/service.ts';

const deployment = shopDeployment.replace(
  '    information_field: brand',
  `    currency: EUR
    feeds:
      - { name: open, url: "https://shop.example/", public: true, item_types: [product], availability: in_stock }
      - { name: partner, url: "https://shop.example", item_url: "https://shop.example/p/{item_id}" }
    information_field: brand`,
);

const mug = {
  title: 'Enamel "mug"\t& bowl <b>\u0007',
  description: 'Blue rim,\nwhite\tbody',
  uri: '/mug',
  images: ['/mug.jpg', { url: 'https://cdn.example/mug-2.jpg' }],
  categories: [['Home', 'Kitchen'], 'Gifts'],
  brand: 'Acme',
  price: 12.5,
  in_stock: true,
  group_id: 'mugs',
  item_attributes: { gtin: '4006381333931', color: 'blue' },
};
const complete = { ...mug, title: 'Kettle', uri: 'https://shop.example/kettle', in_stock: undefined };
const items: [id: string, item: object][] = [
  ['mug', mug],
  ['kettle', complete],
  ['no-price', { ...complete, price: undefined }],
  ['no-image', { ...complete, images: [] }],
  ['script', { ...complete, uri: 'javascript:alert(1)' }],
  ['tomorrow', { ...complete, publication_datetime: '2999-01-01T00:00:00Z' }],
  ['expired', { ...complete, expiration_datetime: '2001-01-01T00:00:00Z' }],
  ['disabled', complete],
  ['x'.repeat(60), complete],
];

const hidden = ['tomorrow', 'expired', 'disabled'];

async function openShop(service: TestService) {
  const http = createJsonClient(service);
  for (const [id, item] of items) await http.put(`/shop/items/product/${id}`, item);
  await http.put('/shop/items/article/news', complete);
  await http.send('POST', '/shop/items/product/disabled/disable');
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.baseUrl}/shop/feeds/${path}`, { headers });
    return { answer, body: await answer.text() };
  };
  return { http, read };
}

test('a feed is read without a token only if it is public, and unknown ones are not found', async (t) => {
  const service = await startTestService(t, deployment);
  const { read } = await openShop(service);
  const { authorization } = service;
  const statuses: [path: string, headers: Record<string, string>, status: number][] = [
    ['open.tsv', {}, 200],
    ['open.tsv', { authorization: 'Bearer forged' }, 401],
    ['partner.tsv', {}, 401],
    ['partner.tsv', { authorization }, 200],
    ['other.tsv', {}, 401],
    ['other.tsv', { authorization }, 404],
    ['open.pdf', {}, 404],
    ['open.constructor', {}, 404],
  ];
  for (const [path, headers, status] of statuses)
    t.is((await read(path, headers)).answer.status, status, path);
});

test('exports without a token are limited, others and later ones are not', async (t) => {
  const service = await startTestService(t, deployment);
  const { handlers } = createFeedHandlers({
    db: service.database,
    deployment: parseDeployment(deployment, 'shop.yaml'),
    catalogOf: () => ({ itemCount: 0 }) as Catalog,
    require: () => undefined,
    clock: Date.now,
  });
  async function* requests() {
    yield create(ExportFeedRequestSchema, { environment: 'shop', feed: 'open.tsv' });
  }
  const open = async (caller?: Caller) => {
    const call = { caller } as Call;
    const parts = (handlers.exportFeed as StreamHandler)(requests(), call)[Symbol.asyncIterator]();
    await parts.next();
    return parts;
  };
  const opened = await Promise.all(Array.from({ length: 8 }, () => open()));
  await t.throwsAsync(() => open(), { message: /8 exports are under way/ });
  await t.notThrowsAsync(() => open({ clientId: 'c', kind: 'confidential', scopes: [] }));
  await opened[0].return!();
  await t.notThrowsAsync(() => open());
});

test('TSV has a row for each complete product that can be shown', async (t) => {
  const service = await startTestService(t, deployment);
  const { read } = await openShop(service);
  const { answer, body } = await read('open.tsv');
  t.is(answer.headers.get('content-type'), 'text/tab-separated-values; charset=utf-8');
  const [head, ...rows] = body
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));
  t.true(rows.every(({ length }) => length === head.length));
  const products = rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
  t.deepEqual(
    products.map(({ id }) => id),
    ['kettle', 'mug'],
  );
  t.like(products[1], {
    title: 'Enamel "mug" & bowl <b>\u0007',
    description: 'Blue rim, white body',
    link: 'https://shop.example/mug',
    image_link: 'https://shop.example/mug.jpg',
    additional_image_link: 'https://cdn.example/mug-2.jpg',
    availability: 'in_stock',
    price: '12.50 EUR',
    condition: 'new',
    gtin: '4006381333931',
    identifier_exists: '',
    item_group_id: 'mugs',
    product_type: 'Home > Kitchen',
    color: 'blue',
  });
});

test('XML is well-formed whatever the items contain, and hidden items are in no format', async (t) => {
  const service = await startTestService(t, deployment);
  const { read } = await openShop(service);
  const { answer, body } = await read('open.xml');
  t.regex(answer.headers.get('content-type')!, /^application\/rss\+xml/);
  const texts: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('text', (text) => texts.push(text));
  parser.on('error', (error) => t.fail(error.message));
  parser.write(body).close();
  t.true(texts.includes('Enamel "mug"\t& bowl <b>'));
  t.true(texts.includes('Gifts'));
  for (const format of ['tsv', 'xml', 'jsonl']) {
    const { body: text } = await read(`open.${format}`);
    for (const id of hidden) t.false(text.includes(id), `${id} is in ${format}`);
  }
  const [first] = (await read('open.jsonl')).body.split('\n').map((line) => line && JSON.parse(line));
  t.like(first, {
    '@type': 'Product',
    sku: 'kettle',
    brand: { '@type': 'Brand', name: 'Acme' },
    offers: { price: 12.5, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  });
});

test('a feed that has not changed is not sent again', async (t) => {
  const service = await startTestService(t, deployment);
  const { http, read } = await openShop(service);
  const etag = (await read('open.tsv')).answer.headers.get('etag')!;
  t.regex(etag, /^W\/"[\w-]{22}"$/);
  const again = await read('open.tsv', { 'if-none-match': etag });
  t.is(again.answer.status, 304);
  t.is(again.answer.headers.get('etag'), etag);
  t.is((await read('open.xml', { 'if-none-match': etag })).answer.status, 200);
  await http.put('/shop/items/product/mug', { ...mug, price: 13 });
  const changed = await read('open.tsv', { 'if-none-match': etag });
  t.is(changed.answer.status, 200);
  t.true(changed.body.includes('13.00 EUR'));
});

const importedFields = ['title', 'uri', 'brand', 'price', 'group_id'];

for (const format of ['tsv', 'xml', 'jsonl'])
  test(`an exported ${format} feed is imported as the same items`, async (t) => {
    const service = await startTestService(t, deployment);
    const { http } = await openShop(service);
    const file = join(service.dataDir, `feed.${format}`);
    const exported = await runAgainst(
      service,
      'export',
      'feed',
      `open.${format}`,
      file,
      '--environment',
      'shop',
    );
    t.is(exported.exitCode, 0, exported.stderr);
    t.regex(exported.stderr, /[24] exported, left out .*1 without price/);
    const before = (await http.get<Record<string, unknown>>('/shop/items/product/kettle')).body;
    await http.put('/shop/items/product/kettle', { title: 'changed' });
    const { exitCode, stderr } = await runAgainst(service, 'import', 'items', file, '--environment', 'shop');
    t.is(exitCode, 0, stderr);
    const { body: after } = await http.get<Record<string, unknown>>('/shop/items/product/kettle');
    for (const name of importedFields) t.deepEqual(after[name], before[name], name);
    t.is(after.in_stock, true);
  });

test('a feed of 4,000 items is complete, each item once and in order', async (t) => {
  const service = await startTestService(t, deployment);
  const file = join(service.dataDir, 'items.ndjson');
  const ids = Array.from({ length: 4_000 }, (_, i) => `p${String(i).padStart(6, '0')}`);
  const lines = ids.map((item_id) => `${JSON.stringify({ ...complete, item_id, item_type: 'product' })}\n`);
  await writeFile(file, lines.join(''));
  t.is((await runAgainst(service, 'import', 'items', file, '--environment', 'shop')).exitCode, 0);
  const answer = await fetch(`${service.baseUrl}/shop/feeds/open.tsv`);
  const [, ...rows] = (await answer.text()).trimEnd().split('\n');
  t.deepEqual(
    rows.map((row) => row.split('\t')[0]),
    ids,
  );
});
