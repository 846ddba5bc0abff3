/** Stored pages: checked, served by name on every node, guarded by tags, audited and bounded. */

import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { PageService } from '../../gen/es/personalisation/v1/page_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startSecondNode } from './support/second-node.ts';
import { testedService } from './support/tested-service.ts';

const deployment = `
environments:
  - { name: shop, item_types: [{ name: film, properties: [{ name: price, type: number }] }] }
  - { name: news, item_types: [{ name: film }] }
`;
const service = testedService(deployment);
const http = createJsonClient(service);

test.before(async () => {
  await http.put('/configurations/any', {});
  for (let i = 0; i < 12; i++) await http.put(`/shop/items/film/f${i}`, { title: `Film ${i}` });
});

const source = (list_name: string, more: object = {}) => ({
  list_name,
  configuration_id: 'any',
  ...{ list_size: 3, titles: {} },
  ...more,
});
const start = { title: 'Start', maximum_rows: 1, rows: [source('new', { order: 'newest' }), source('more')] };

type Page = { rows: { list: { list_name: string; items: { item_id: string }[] } }[] };

const request = (more: object, client = http) =>
  client.post<Page>('/shop/pages/requests', { device_id: 'd', page_type: 'home', ...more });

async function rowsOf(pageId: string, client?: JsonClient): Promise<string[] | string> {
  const { reason, body } = await request({ page_id: pageId }, client);
  return reason ?? body.rows.map(({ list }) => list.list_name);
}

test('a request that names a stored page gets what its rows give, until it is replaced or deleted', async (t) => {
  const path = '/shop/pages/start';
  t.is(await rowsOf('start'), 'page_unknown');
  t.is((await http.put(path, start)).status, 200);
  const { title: _, ...given } = start;
  const [named, own] = [await request({ page_id: 'start' }), await request(given)];
  t.deepEqual(
    named.body.rows.map(({ list }) => [list.list_name, list.items]),
    own.body.rows.map(({ list }) => [list.list_name, list.items]),
  );
  t.deepEqual((await http.get(path)).body, { page_id: 'start', ...start });
  await http.put(path, { rows: [source('other')] });
  t.deepEqual(await rowsOf('start'), ['other']);
  t.is((await http.get('/news/pages/start')).reason, 'page_unknown');
  t.is((await http.send('DELETE', path)).status, 200);
  t.is(await rowsOf('start'), 'page_unknown');
  t.is((await http.send('DELETE', path)).reason, 'page_unknown');
});

test('other nodes serve a stored page, those that start later too', async (t) => {
  const second = await startSecondNode(service, deployment);
  t.teardown(second.stop);
  const clientOf = ({ baseUrl }: { baseUrl: string }) =>
    createJsonClient({ baseUrl, authorization: service.authorization });
  await http.put('/shop/pages/shared', start);
  const until = async (wanted: unknown) => {
    for (let i = 0; i < 400 && `${await rowsOf('shared', clientOf(second))}` !== `${wanted}`; i++)
      await delay(25);
    t.is(`${await rowsOf('shared', clientOf(second))}`, `${wanted}`);
  };
  await until('new');
  const third = await startSecondNode(service, deployment);
  t.teardown(third.stop);
  t.deepEqual(await rowsOf('shared', clientOf(third)), ['new']);
  await http.send('DELETE', '/shop/pages/shared');
  await until('page_unknown');
});

const faults: [fields: object, reason: string, pointers: string[]][] = [
  [{}, 'body_invalid', ['/rows']],
  [{ rows: [] }, 'body_invalid', ['/rows']],
  [{ rows: [source('a', { for_each: 'price' })] }, 'body_invalid', ['/rows/0/for_each']],
  [{ rows: [source('a'), source('a')] }, 'body_invalid', ['/rows/1/list_name']],
  [{ rows: [source('a', { list_size: 2, limit: 3 })] }, 'body_invalid', ['/rows/0/limit']],
  [{ rows: [source('a', { configuration_id: 'none' })] }, 'configuration_unknown', []],
  [{ rows: [source('a')], maximum_rows: 51 }, 'body_invalid', ['/maximum_rows']],
];

test('a page is refused for what a request is refused for', async (t) => {
  for (const [fields, reason, pointers] of faults)
    for (const answer of [await http.put('/shop/pages/faulty', fields), await request(fields)])
      t.deepEqual([answer.reason, answer.pointers], [reason, pointers], JSON.stringify(fields));
  t.deepEqual((await http.put('/shop/pages/faulty', { page_id: 'b', ...start })).pointers, ['/page_id']);
  t.is((await http.get('/shop/pages/faulty')).status, 404);
  await http.put('/shop/pages/whole', start);
  for (const more of [{ rows: start.rows }, { maximum_rows: 2 }, { rows_per_segment: 2 }])
    t.deepEqual((await request({ page_id: 'whole', ...more })).pointers, ['/page_id']);
});

test('a tag protects a stored page, its changes are audited, and it tells who wrote it', async (t) => {
  const rpc = createClient(PageService, createAdminTransport(service));
  const at = { environment: 'shop', pageId: 'guarded' };
  const page = { title: 'One', rows: [{ listName: 'a', configurationId: 'any' }] };
  const { revision } = await rpc.putPage({ ...at, page, expectedRevision: 0 });
  const changed = { ...page, title: 'Two', revision: 7 };
  await t.throwsAsync(rpc.putPage({ ...at, page: changed, expectedRevision: 0 }), { message: /revision/ });
  await rpc.putPage({ ...at, page: changed, expectedRevision: revision });
  await t.throwsAsync(rpc.deletePage({ ...at, expectedRevision: revision }), { message: /revision/ });
  const { page: found } = await rpc.getPage(at);
  t.true(found!.revision > revision && found!.updateTime !== undefined);
  t.is(found!.title, 'Two');
  const { body } = await http.get<{ entries: { action: string; client_id: string; after: object }[] }>(
    '/audit?resource=pages/guarded',
  );
  t.deepEqual(
    body.entries.map(({ action }) => action),
    ['pages.put', 'pages.put'],
  );
  t.is(found!.clientId, body.entries[0].client_id);
  t.true(found!.clientName !== '');
  t.deepEqual(body.entries[0].after, {
    title: 'Two',
    rows: [{ list_name: 'a', configuration_id: 'any' }],
  });
});

test('an environment has at most 200 pages, listed by ID', async (t) => {
  const ids = Array.from({ length: 200 }, (_, i) => `p${String(i).padStart(3, '0')}`);
  await http.put('/configurations/any', {});
  for (const id of ids) t.is((await http.put(`/news/pages/${id}`, { rows: [source('a')] })).status, 200);
  t.is((await http.put('/news/pages/more', { rows: [source('a')] })).reason, 'body_invalid');
  t.is((await http.put('/news/pages/p000', { rows: [source('b')] })).status, 200);
  type Listed = { pages: { page_id: string }[]; next_page_token: string };
  const { body } = await http.get<Listed>('/news/pages?page_size=150');
  const rest = await http.get<Listed>(`/news/pages?page_size=150&page_token=${body.next_page_token}`);
  t.deepEqual(
    [...body.pages, ...rest.body.pages].map(({ page_id: id }) => id),
    ids,
  );
});
