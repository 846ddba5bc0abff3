/** Drafts of configurations: who reads and writes them, conflicts, bounds, audit and expiry. */

import { Code, ConnectError, createClient } from '@connectrpc/connect';
import test, { type ExecutionContext } from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { deleteExpiredDrafts } from '../../src/repository/configurations/drafts.ts';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const admin = () => createClient(ConfigurationService, createAdminTransport(service));
const json = () => createJsonClient(service);

async function callerOf(scope: string) {
  const { authorization } = await createClients(service).create(scope);
  return createClient(ConfigurationService, createAdminTransport({ ...service, authorization }));
}

const refusal = async (t: ExecutionContext, call: Promise<unknown>) =>
  Code[ConnectError.from(await t.throwsAsync(call)).code];

const document = { constraints: [{ query: { key: 'half-typed' } }], name: 7 };

test('a draft is saved, read, listed and deleted over HTTP, faulty or not', async (t) => {
  const path = '/configurations/drafted/draft';
  const put = (headers: Record<string, string>) =>
    json().send('PUT', path, { base_version: 3, document }, headers);
  const saved = await put({ 'if-none-match': '*' });
  t.is(saved.status, 200);
  t.like(saved.body, { configuration_id: 'drafted', revision: 1, base_version: 3 });
  t.is((await put({ 'if-none-match': '*' })).status, 412);
  t.is((await put({ 'if-match': '"7"' })).status, 412);
  t.like((await put({ 'if-match': '"1"' })).body, { revision: 2 });
  const read = await json().send('GET', path);
  t.like(read.body, { revision: 2, document });
  t.truthy((read.body as { client_id: string }).client_id);
  const listed = (await json().send('GET', '/configuration-drafts')).body as { drafts: object[] };
  const [one] = listed.drafts.filter(
    (draft) => 'configuration_id' in draft && draft.configuration_id === 'drafted',
  );
  t.like(one, { revision: 2, base_version: 3 });
  t.false('document' in one);
  const only = await json().send('GET', '/configuration-drafts?configuration_id=drafted');
  t.like(only.body, { drafts: [{ revision: 2, document }] });
  t.is((await json().send('GET', '/configurations/drafted')).status, 404);
  t.is((await json().send('DELETE', path, undefined, { 'if-match': '"1"' })).status, 412);
  t.is((await json().send('DELETE', path, undefined, { 'if-match': '"2"' })).status, 200);
  t.is((await json().send('GET', path)).status, 404);
  t.is((await json().send('DELETE', path)).status, 404);
  t.is((await put({ 'if-match': '"2"' })).status, 412);
  t.like((await put({ 'if-none-match': '*' })).body, { revision: 4 });
});

test('a version of a configuration is read over HTTP', async (t) => {
  for (const name of ['one', 'two']) await json().send('PUT', '/configurations/drafted-versions', { name });
  const { body } = await json().send('GET', '/configurations/drafted-versions?version=1');
  t.like(body, { name: 'one' });
});

test('only editors of the configuration and of the draft read and write it', async (t) => {
  const editor = await callerOf('configurations:shop');
  await admin().putConfiguration({ configurationId: 'drafted-for-all', configuration: {} });
  const drafts: [id: string, environments: string[] | undefined][] = [
    ['drafted-for-all', ['shop']],
    ['drafted-news', ['news']],
    ['drafted-everywhere', undefined],
    ['drafted-both', ['shop', 'news']],
  ];
  for (const [configurationId, environments] of drafts) {
    await admin().putConfigurationDraft({ configurationId, document: environments ? { environments } : {} });
    t.is(await refusal(t, editor.getConfigurationDraft({ configurationId })), 'NotFound', configurationId);
    const own = { configurationId, document: { environments: ['shop'] } };
    t.is(await refusal(t, editor.putConfigurationDraft(own)), 'PermissionDenied', configurationId);
    t.is(await refusal(t, editor.deleteConfigurationDraft({ configurationId })), 'PermissionDenied');
  }
  const own = { configurationId: 'drafted-shop', document: { environments: ['shop'] } };
  t.is((await editor.putConfigurationDraft(own)).draft?.revision, 1);
  t.is(
    await refusal(t, editor.putConfigurationDraft({ ...own, document: {} })),
    'PermissionDenied',
    'for all environments',
  );
  const { drafts: listed } = await editor.listConfigurationDrafts({});
  t.deepEqual(
    listed.map(({ configurationId }) => configurationId),
    ['drafted-shop'],
  );
  const { drafts: all } = await admin().listConfigurationDrafts({ pageSize: 2 });
  t.is(all.length, 2);
});

test('a draft is erased with its configuration, and audited once a client', async (t) => {
  const configurationId = 'drafted-erased';
  await admin().putConfiguration({ configurationId, configuration: {} });
  for (const count of [1, 2, 3])
    await admin().putConfigurationDraft({ configurationId, document: { count }, baseVersion: 1 });
  const other = await callerOf('configurations:*');
  for (const count of [4, 5]) await other.putConfigurationDraft({ configurationId, document: { count } });
  const actions = async () => {
    const { body } = await json().send('GET', `/audit?resource=configurations/${configurationId}`);
    return (body as { entries: { action: string }[] }).entries.map(({ action }) => action).reverse();
  };
  t.deepEqual(await actions(), ['configurations.put', 'configurations.draft', 'configurations.draft']);
  await admin().deleteConfiguration({ configurationId });
  t.is(await refusal(t, admin().getConfigurationDraft({ configurationId })), 'NotFound');
  const { rows } = await service.database.pool.query(
    'select document, client_id from configuration_drafts where configuration_id = $1',
    [configurationId],
  );
  t.deepEqual(rows, [{ document: null, client_id: null }]);
});

test('editors comment on a draft, delete their own comments, and lose them with the draft', async (t) => {
  const configurationId = 'commented';
  const at = { configurationId };
  t.is(await refusal(t, admin().createDraftComment({ ...at, text: 'early' })), 'NotFound');
  const put = (environments: string[]) =>
    admin().putConfigurationDraft({ ...at, document: { environments } });
  await put(['news']);
  const [editor, foreign] = [await callerOf('configurations:news'), await callerOf('configurations:shop')];
  const viewer = await callerOf('viewer:news');
  const { comment } = await admin().createDraftComment({ ...at, text: 'Why sandals?' });
  t.like(comment, { text: 'Why sandals?', clientName: 'admin' });
  const { comment: own } = await editor.createDraftComment({ ...at, text: 'They sell.' });
  const texts = async (caller = viewer) =>
    (await caller.listDraftComments(at)).comments.map(({ text }) => text);
  t.deepEqual(await texts(), ['Why sandals?', 'They sell.']);
  t.deepEqual(await texts(foreign), []);
  t.is(await refusal(t, foreign.createDraftComment({ ...at, text: 'x' })), 'NotFound');
  t.is(await refusal(t, viewer.createDraftComment({ ...at, text: 'x' })), 'PermissionDenied');
  for (const text of ['', 'x'.repeat(2_001)])
    t.is(await refusal(t, editor.createDraftComment({ ...at, text })), 'InvalidArgument');
  const { commentId } = comment!;
  t.is(await refusal(t, editor.deleteDraftComment({ ...at, commentId })), 'NotFound', 'of another client');
  await editor.deleteDraftComment({ ...at, commentId: own!.commentId });
  await put(['news', 'shop']);
  t.deepEqual(await texts(), [], 'the draft now has other environments');
  await put(['news']);
  t.deepEqual(await texts(), ['Why sandals?'], 'a write of the draft keeps comments');
  await Promise.all(Array.from({ length: 99 }, (_, n) => editor.createDraftComment({ ...at, text: `${n}` })));
  t.is(await refusal(t, editor.createDraftComment({ ...at, text: 'x' })), 'InvalidArgument');
  t.is((await texts()).length, 100);
  await admin().deleteConfigurationDraft(at);
  t.deepEqual(await texts(), []);
  await put(['news']);
  t.deepEqual(await texts(), []);
});

test('drafts expire, and their number is bounded', async (t) => {
  await service.database.pool.query(`
    insert into configuration_drafts (configuration_id, revision, base_version, document, environments)
    select 'many-' || n, 1, 0, '{}', '{crowded}' from generate_series(1, 500) n`);
  const put = (environments: string[]) =>
    admin().putConfigurationDraft({ configurationId: 'one-more', document: { environments } });
  const error = ConnectError.from(await t.throwsAsync(put(['crowded'])));
  t.is(Code[error.code], 'InvalidArgument');
  t.regex(error.message, /There are 500 drafts/);
  await put(['quiet']);
  t.is((await admin().putConfigurationDraft({ configurationId: 'many-7', document: {} })).draft?.revision, 2);
  await service.database.pool.query(`
    update configuration_drafts set updated_at = now() - interval '31 days' where configuration_id like 'many-%'`);
  t.is(await refusal(t, admin().getConfigurationDraft({ configurationId: 'many-1' })), 'NotFound');
  await put(['crowded']);
  await deleteExpiredDrafts(service.database);
  const { rows } = await service.database.pool.query(
    `select from configuration_drafts where configuration_id like 'many-%'`,
  );
  t.is(rows.length, 0);
});
