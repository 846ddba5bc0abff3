/** Saved views: personal or shared, guarded by rights and revisions, audited and bounded. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - { name: shop, item_types: [{ name: film }] }
  - { name: news, item_types: [{ name: film }] }
  - { name: blog, item_types: [{ name: film }] }
`);
const admin = createJsonClient(service);

const clientWith = async (scope: string) => {
  const { authorization } = await createClients(service).create(scope);
  return createJsonClient({ baseUrl: service.baseUrl, authorization });
};
type Client = typeof admin;

const view = (more: object = {}) => ({ title: 'Clicks', query: 'metric=clicks', ...more });

async function idsOf(client: Client, environment = 'shop'): Promise<string[]> {
  const { body } = await client.get<{ views: { view_id: string }[] }>(`/${environment}/views`);
  return body.views.map(({ view_id: id }) => id);
}

test('a personal view is seen and changed by its owner only, a shared one is changed by editors', async (t) => {
  const [reader, other, editor] = await Promise.all(
    ['metrics.read:shop', 'metrics.read:shop', 'metrics:shop'].map(clientWith),
  );
  t.is((await reader.put('/shop/views/mine', view())).status, 200);
  t.is((await reader.put('/shop/views/all', view({ shared: true }))).reason, 'scope_missing');
  t.is((await editor.put('/shop/views/all', view({ shared: true, pinned: true }))).status, 200);
  t.deepEqual(await Promise.all([reader, other, editor].map((client) => idsOf(client))), [
    ['all', 'mine'],
    ['all'],
    ['all'],
  ]);
  t.deepEqual((await reader.get('/shop/views/all')).body, {
    ...{ view_id: 'all', title: 'Clicks', query: 'metric=clicks' },
    ...{ shared: true, pinned: true },
  });
  for (const client of [other, admin]) {
    t.is((await client.get('/shop/views/mine')).reason, 'view_unknown');
    t.is((await client.send('DELETE', '/shop/views/mine')).reason, 'view_unknown');
    t.is((await client.put('/shop/views/mine', view())).reason, 'scope_missing');
  }
  t.is((await reader.put('/shop/views/all', view())).reason, 'scope_missing');
  t.is((await reader.send('DELETE', '/shop/views/all')).reason, 'scope_missing');
  t.is((await reader.get('/news/views')).reason, 'scope_missing');
  t.is((await admin.get('/news/views/all')).reason, 'view_unknown');
  t.is((await reader.put('/shop/views/mine', view({ title: 'Renamed' }))).status, 200);
  t.is((await reader.send('DELETE', '/shop/views/mine')).status, 200);
  t.is((await editor.send('DELETE', '/shop/views/all')).status, 200);
  const { body } = await admin.get<{ entries: { action: string }[] }>('/audit?resource=views/mine');
  t.deepEqual(
    body.entries.map(({ action }) => action),
    ['views.delete', 'views.put', 'views.put'],
  );
});

test('a tag protects a view, and its fields are bounded', async (t) => {
  const put = (tag: string) =>
    fetch(new URL('/api/blog/views/tagged', service.baseUrl), {
      method: 'PUT',
      headers: {
        authorization: service.authorization,
        'content-type': 'application/json',
        [tag ? 'if-match' : 'if-none-match']: tag || '*',
      },
      body: JSON.stringify(view()),
    });
  const { headers } = await put('');
  t.is((await put('')).status, 412);
  t.is((await put(headers.get('etag')!)).status, 200);
  t.is((await put(headers.get('etag')!)).status, 412);
  for (const [fields, pointer] of [
    [{ title: '' }, '/title'],
    [{ title: 'x'.repeat(257) }, '/title'],
    [{ query: 'x'.repeat(4_097) }, '/query'],
    [{ view_id: 'other' }, '/view_id'],
  ] as const)
    t.deepEqual((await admin.put('/blog/views/faulty', view(fields))).pointers, [pointer]);
  t.deepEqual(await idsOf(admin, 'blog'), ['tagged']);
});

test('an environment has at most 500 views, a person 25 of its own', async (t) => {
  const reader = await clientWith('metrics.read:news');
  for (let i = 0; i < 25; i++) t.is((await reader.put(`/news/views/own-${i}`, view())).status, 200);
  t.is((await reader.put('/news/views/more', view())).reason, 'body_invalid');
  t.is((await reader.put('/news/views/own-0', view({ title: 'Renamed' }))).status, 200);
  for (let i = 0; i < 475; i++)
    t.is((await admin.put(`/news/views/v${i}`, view({ shared: true }))).status, 200);
  t.is((await admin.put('/news/views/more', view({ shared: true }))).reason, 'body_invalid');
  t.is((await idsOf(admin, 'news')).length, 475);
});
