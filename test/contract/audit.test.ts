/** The audit log has one entry for each change, with client, request, before and after, and cannot be altered. */

import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { AuditService } from '../../gen/es/personalisation/v1/audit_service_pb.js';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createClients } from './support/clients.ts';

type Entry = {
  entry_id: string;
  time: string;
  client_id: string;
  request_id: string;
  action: string;
  resource: string;
  environment: string;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
};

let service: TestService;
let http: JsonClient;
const tidy: (() => unknown)[] = [];

test.before(async () => {
  service = await startTestService({ teardown: (end) => tidy.push(end) });
  http = createJsonClient(service);
});

test.after.always(async () => {
  for (const end of tidy) await end();
});

const list = async (query: string) => {
  const { status, body } = await http.get<{ entries: Entry[]; next_page_token: string }>(`/audit?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};

const rule = (title: string) => ({ constraints: [{ query: { key: 'title', match: title } }] });

test('the audit log has each version of a configuration, before and after', async (t) => {
  const { authorization, clientId } = await createClients(service).create('configurations:*');
  const editor = createJsonClient({ ...service, authorization });
  await editor.put('/configurations/seen', rule('one'));
  await http.put('/configurations/seen', rule('two'));
  await http.send('DELETE', '/configurations/seen');
  t.is((await http.send('PUT', '/configurations/seen', { constraints: 7 })).status, 400);
  t.is((await http.send('DELETE', '/configurations/seen')).status, 404);
  const { entries } = await list('resource=configurations/seen');
  const changes = entries.toReversed();
  t.deepEqual(
    changes.map(({ action, client_id }) => [action, client_id]),
    [
      ['configurations.put', clientId],
      ['configurations.put', service.admin.clientId],
      ['configurations.delete', service.admin.clientId],
    ],
  );
  t.is(changes[0].before, undefined);
  t.like(changes[0].after, rule('one'));
  t.like(changes[1], { before: rule('one'), after: rule('two') });
  t.is(changes[2].after, undefined);
  t.true(entries.every(({ request_id }) => request_id !== ''));
});

test('a rollback is recorded with the restored version', async (t) => {
  await http.put('/configurations/back', rule('one'));
  await http.put('/configurations/back', rule('two'));
  await createClient(ConfigurationService, createAdminTransport(service)).rollBackConfiguration({
    configurationId: 'back',
    version: 1,
  });
  const [entry] = (await list('resource=configurations/back')).entries;
  t.like(entry, { action: 'configurations.roll_back', before: rule('two'), after: rule('one') });
});

test('the audit log has the fields of a client except its secret', async (t) => {
  const clients = createClients(service);
  const { clientId, clientSecret } = await clients.create('items:shop');
  await clients.disable(clientId);
  await clients.disable(clientId);
  const { entries } = await list(`resource=clients/${clientId}`);
  t.deepEqual(
    entries.map(({ action }) => action),
    ['clients.disable', 'clients.create'],
  );
  t.deepEqual(entries[1].after, { kind: 'confidential', name: 'test', scopes: ['items:shop'], origins: [] });
  const { rows } = await service.database.pool.query('select audit_entries::text as row from audit_entries');
  const { rows: hashes } = await service.database.pool.query(
    'select secret_hash from clients where secret_hash is not null',
  );
  const all = rows.map(({ row }) => row).join('\n');
  t.false(all.includes(clientSecret));
  t.true(hashes.length > 0 && hashes.every(({ secret_hash }) => !all.includes(secret_hash)));
});

test('the audit log has items disabled, enabled and deleted, and requested trainings', async (t) => {
  await http.put('/shop/items/product/lamp', { title: 'Lamp' });
  await http.post('/shop/items/product/lamp/disable');
  await http.post('/shop/items/product/lamp/enable');
  await http.send('DELETE', '/shop/items/product/lamp');
  t.is((await http.post('/shop/items/product/unknown/disable')).status, 400);
  const { entries } = await list('environment=shop&resource=items/');
  t.deepEqual(
    entries.map(({ action, resource, after }) => [action, resource, after?.enabled]),
    [
      ['items.delete', 'items/product/lamp', false],
      ['items.enable', 'items/product/lamp', true],
      ['items.disable', 'items/product/lamp', false],
    ],
  );
  const { body } = await http.post<{ training_id: string }>('/shop/models/trainings');
  const [training] = (await list('environment=shop&resource=models')).entries;
  t.like(training, { action: 'models.train', after: { training_id: body.training_id } });
});

test('entries have pages, filters and a limit', async (t) => {
  const values = Array.from({ length: 100 }, (_, i) => ({ value: `${i} ${'x'.repeat(900)}` }));
  for (let i = 0; i < 3; i++) await http.put(`/configurations/page${i}`, rule(`${i}`));
  t.is(
    (await http.put('/configurations/page3', { constraints: [{ query: { key: 'title', or: values } }] }))
      .status,
    200,
  );
  const wanted = `client_id=${service.admin.clientId}&resource=configurations/`;
  const seen: Entry[] = [];
  for (let token = ''; ; ) {
    const page = await list(`${wanted}&page_size=3${token && `&page_token=${token}`}`);
    t.true(page.entries.length <= 3);
    seen.push(...page.entries);
    token = page.next_page_token;
    if (token === '') break;
  }
  t.is(new Set(seen.map(({ entry_id }) => entry_id)).size, seen.length);
  t.deepEqual(
    seen.map(({ time }) => time),
    seen
      .map(({ time }) => time)
      .toSorted()
      .toReversed(),
  );
  const large = seen.find(({ resource }) => resource === 'configurations/page3')!;
  t.is(large.after?.truncated, true);
  t.true((large.after?.bytes as number) > 65_536);
  const [newest] = seen;
  const { entries } = await list(`from=${encodeURIComponent(newest.time)}&to=2100-01-01T00:00:00Z`);
  t.true(entries.some(({ entry_id }) => entry_id === newest.entry_id));
  t.is(
    (await list(`resource=configurations/&to=${encodeURIComponent('2000-01-01T00:00:00Z')}`)).entries.length,
    0,
  );
  t.is((await http.get('/audit?page_token=made-up')).status, 400);
  const forged = Buffer.from(
    JSON.stringify([
      ['audit', '{}'],
      [1, 'made up'],
    ]),
  ).toString('base64url');
  t.is((await http.get(`/audit?page_token=${forged}`)).status, 400);
  t.is((await http.get('/audit?environment=unknown')).status, 404);
});

test('an entry cannot be changed or deleted, even with access to the database', async (t) => {
  await http.put('/configurations/kept', rule('one'));
  const { pool } = service.database;
  for (const statement of [
    `update audit_entries set action = 'nothing'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ])
    await t.throwsAsync(pool.query(statement), { message: /only added to/ });
  const audit = createClient(AuditService, createAdminTransport(service));
  const { entries } = await audit.listAuditEntries({ resource: 'configurations/kept' });
  t.is(entries.length, 1);
});

test('an administrator of one environment sees only its entries', async (t) => {
  const { authorization } = await createClients(service).create('admin:news');
  const local = createJsonClient({ ...service, authorization });
  await http.post('/news/models/trainings');
  t.is((await local.get('/audit')).status, 403);
  t.is((await local.get('/audit?environment=shop')).status, 403);
  const { status, body } = await local.get<{ entries: Entry[] }>('/audit?environment=news');
  t.is(status, 200);
  t.true(body.entries.length > 0 && body.entries.every(({ environment }) => environment === 'news'));
});

test('activity shows pages, shared views and previews, and names the people behind the changes', async (t) => {
  const clients = createClients(service);
  const { authorization, clientId } = await clients.create('admin:shop');
  const editor = createJsonClient({ ...service, authorization });
  const view = { title: 'Title', query: '' };
  await http.put('/configurations/of-pages', { environments: ['shop'] });
  const rows = [{ list_name: 'new', configuration_id: 'of-pages' }];
  t.is((await editor.put('/shop/pages/start', { rows })).status, 200);
  t.is((await editor.put('/shop/views/all', { ...view, shared: true })).status, 200);
  t.is((await editor.put('/shop/views/mine', { ...view, title: '"shared":true' })).status, 200);
  await editor.put('/configurations/of-pages/draft', {
    document: { environments: ['shop'] },
    base_version: 1,
  });
  const { body } = await editor.post<{ token: string }>('/shop/preview-tokens', {
    ...{ configuration_id: 'of-pages', lifetime_minutes: 5 },
  });
  const [previewed] = (await list('resource=configurations/of-pages')).entries;
  t.like(previewed, { action: 'configurations.preview', after: { revision: 1, lifetime_minutes: 5 } });
  t.false(JSON.stringify(previewed).includes(body.token));
  const reader = createJsonClient({ ...service, ...(await clients.create('configurations.read:shop')) });
  type Activity = { entries: Entry[]; people?: { client_id: string; client_name: string }[] };
  const read = async (query: string) => (await reader.get<Activity>(`/activity?${query}`)).body;
  const { entries, people } = await read(`client_id=${clientId}`);
  t.deepEqual(
    entries.map(({ action, resource }) => `${action} ${resource}`),
    [
      'configurations.preview configurations/of-pages',
      'configurations.draft configurations/of-pages',
      'views.put views/all',
      'pages.put pages/start',
    ],
  );
  t.deepEqual(people, []);
  const named = await read('with_people=true&page_size=1&kinds=pages');
  t.like(
    named.people?.find((one) => one.client_id === clientId),
    { client_name: 'test' },
  );
  t.true(named.people?.some((one) => one.client_id === service.admin.clientId));
  const elsewhere = createJsonClient({ ...service, ...(await clients.create('configurations.read:news')) });
  const other = (await elsewhere.get<Activity>('/activity?with_people=true')).body;
  t.false(other.people?.some((one) => one.client_id === clientId));
});

test('activity shows colleagues the changes of their environments, without documents', async (t) => {
  const clients = createClients(service);
  const as = async (...scopes: string[]) => {
    const { authorization } = await clients.create(...scopes);
    const client = createJsonClient({ ...service, authorization });
    return async (query = '') =>
      (await client.get<{ entries: Entry[]; next_page_token: string }>(`/activity?page_size=200${query}`))
        .body;
  };
  for (const [id, environments] of Object.entries({
    'of-all': [],
    'of-shop': ['shop'],
    'of-news': ['news'],
  })) {
    await http.put(`/configurations/activity-${id}`, { environments });
    await http.put(`/configurations/activity-${id}/draft`, { document: { environments } });
    await http.send('DELETE', `/configurations/activity-${id}/draft`);
    await http.send('DELETE', `/configurations/activity-${id}`);
  }
  const seen = async (read: (query?: string) => Promise<{ entries: Entry[] }>, query = '') =>
    (await read(query)).entries
      .filter(({ resource }) => resource.startsWith('configurations/activity-'))
      .map(({ resource, action }) => `${resource.slice(24)} ${action.slice(15)}`)
      .toReversed();
  const stepsOf = (id: string) =>
    ['put', 'draft', 'discard_draft', 'delete'].map((action) => `${id} ${action}`);
  const ofShop = await as('configurations.read:shop');
  t.deepEqual(await seen(ofShop), [...stepsOf('of-all'), ...stepsOf('of-shop')]);
  t.deepEqual(await seen(ofShop, '&environment=shop&kinds=configurations'), await seen(ofShop));
  t.deepEqual(await seen(ofShop, '&kinds=items'), []);
  const all = await as('viewer:*');
  t.deepEqual(await seen(all), ['of-all', 'of-shop', 'of-news'].flatMap(stepsOf));
  t.deepEqual(await seen(all, '&environment=news'), ['of-all', 'of-news'].flatMap(stepsOf));
  const { entries } = await all();
  t.true(entries.every((entry) => !entry.before && !entry.after && entry.request_id === ''));
  t.false(entries.some(({ resource }) => /^(clients|people|webhooks|users|devices)/.test(resource)));
  t.is(((await ofShop('&environment=news')) as unknown as { status: number }).status, 403);
  t.is(((await (await as('items:shop'))()) as unknown as { status: number }).status, 403);
});
