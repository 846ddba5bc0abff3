/** Configurations of named environments: who reads, writes and uses them. */

import { Code, ConnectError, createClient } from '@connectrpc/connect';
import test, { type ExecutionContext } from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();

async function callerOf(scope: string) {
  const { authorization } = await createClients(service).create(scope);
  return createClient(ConfigurationService, createAdminTransport({ ...service, authorization }));
}

const admin = () => createClient(ConfigurationService, createAdminTransport(service));

const refusal = async (t: ExecutionContext, call: Promise<unknown>) =>
  Code[ConnectError.from(await t.throwsAsync(call)).code];

const put = (caller: ReturnType<typeof admin>, configurationId: string, environments: string[] = []) =>
  caller.putConfiguration({ configurationId, configuration: { environments } });

async function listStatus(environment: string, configurationId: string): Promise<number> {
  const { status } = await fetch(`${service.baseUrl}/${environment}/recommendations/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      device_id: 'd',
      page_type: 'home',
      lists: [{ configuration_id: configurationId, list_name: 'l', list_size: 1 }],
    }),
  });
  return status;
}

test('requests of other environments do not know the configuration', async (t) => {
  await put(admin(), 'for-shop', ['shop']);
  await put(admin(), 'for-all');
  const statuses = [];
  for (const id of ['for-shop', 'for-all'])
    for (const environment of ['shop', 'news']) statuses.push(await listStatus(environment, id));
  t.deepEqual(statuses, [200, 404, 200, 200]);
});

test('an editor of one environment reads what applies there, and writes what belongs to it alone', async (t) => {
  await put(admin(), 'edit-all');
  await put(admin(), 'edit-news', ['news']);
  await put(admin(), 'edit-both', ['shop', 'news']);
  const editor = await callerOf('configurations:shop');
  t.is((await put(editor, 'edit-own', ['shop'])).version, 1);
  t.is((await put(editor, 'edit-own', ['shop'])).version, 2);
  const own = ({ configurationIds }: { configurationIds: string[] }) =>
    configurationIds.filter((id) => id.startsWith('edit-'));
  const expected = ['edit-all', 'edit-both', 'edit-own'];
  t.deepEqual(own(await editor.listConfigurations({})), expected);
  t.deepEqual(own(await editor.listConfigurations({ withSummaries: true })), expected);

  const writes: [id: string, environments: string[]][] = [
    ['edit-all', []],
    ['edit-all', ['shop']],
    ['edit-both', ['shop']],
    ['edit-news', ['shop']],
    ['edit-own', []],
    ['edit-own', ['shop', 'news']],
    ['edit-new', ['news']],
  ];
  for (const [id, environments] of writes)
    t.is(await refusal(t, put(editor, id, environments)), 'PermissionDenied', `${id} ${environments}`);
  for (const configurationId of ['edit-all', 'edit-both', 'edit-news']) {
    t.is(await refusal(t, editor.deleteConfiguration({ configurationId })), 'PermissionDenied');
  }
  const news = { configurationId: 'edit-news', version: 1 };
  t.is(await refusal(t, editor.getConfiguration(news)), 'NotFound');
  t.is(await refusal(t, editor.rollBackConfiguration(news)), 'NotFound');
  t.is(await refusal(t, editor.listConfigurationVersions(news)), 'NotFound');
  t.is(await refusal(t, editor.diffConfigurationVersions({ ...news, fromVersion: 1 })), 'NotFound');
  const all = { configurationId: 'edit-all', version: 1 };
  t.is(await refusal(t, editor.rollBackConfiguration(all)), 'PermissionDenied');
  await editor.rollBackConfiguration({ configurationId: 'edit-own', version: 1 });
  await editor.deleteConfiguration({ configurationId: 'edit-own' });
  const stranger = await callerOf('items:shop');
  t.is(await refusal(t, stranger.listConfigurations({})), 'PermissionDenied');
});

test('earlier versions of other environments stay hidden', async (t) => {
  const configurationId = 'moved';
  const configuration = { environments: ['news'] };
  await admin().putConfiguration({ configurationId, configuration, comment: 'secret' });
  await put(admin(), configurationId, ['shop']);
  const editor = await callerOf('configurations:shop');
  const { versions } = await editor.listConfigurationVersions({ configurationId });
  t.deepEqual(
    versions.map(({ version, comment }) => [version, comment]),
    [
      [2, ''],
      [1, ''],
    ],
  );
  t.is(await refusal(t, editor.getConfiguration({ configurationId, version: 1 })), 'NotFound');
});

test('an unknown environment, and one that its search rules do not share, are refused', async (t) => {
  t.is(await refusal(t, put(admin(), 'nowhere', ['elsewhere'])), 'InvalidArgument');
  const configuration = { environments: ['shop'], search: { environments: ['news'] } };
  const written = admin().putConfiguration({ configurationId: 'nowhere', configuration });
  t.is(await refusal(t, written), 'InvalidArgument');
});

test('who may write a scheduled version may not hide the live one of all environments', async (t) => {
  await put(admin(), 'live-all');
  const scheduled = { environments: ['shop'], activeFrom: new Date(Date.now() + 86_400_000).toISOString() };
  await admin().putConfiguration({ configurationId: 'live-all', configuration: scheduled });
  const editor = await callerOf('configurations:shop');
  t.is(await refusal(t, put(editor, 'live-all', ['shop'])), 'PermissionDenied');
  t.is(await refusal(t, editor.deleteConfiguration({ configurationId: 'live-all' })), 'PermissionDenied');
  t.is(await listStatus('news', 'live-all'), 200);
});

test('who keeps or moves scheduled versions may write in their environments', async (t) => {
  await put(admin(), 'keep', ['shop']);
  const configuration = { environments: ['news'], activeFrom: '2090-12-01T00:00:00Z' };
  await admin().putConfiguration({ configurationId: 'keep', configuration });
  const editor = await callerOf('configurations:shop');
  const write = { configurationId: 'keep', configuration: { environments: ['shop'] } };
  for (const keepScheduled of [false, true])
    t.is(await refusal(t, editor.putConfiguration({ ...write, keepScheduled })), 'PermissionDenied');
  const { version } = await admin().putConfiguration({ ...write, keepScheduled: true });
  t.is(version, 3);
});

test('a deletion stays hidden with what it deleted, and so do its changes', async (t) => {
  await put(admin(), 'gone', ['news']);
  await admin().deleteConfiguration({ configurationId: 'gone', comment: 'secret' });
  const editor = await callerOf('configurations:shop');
  t.is(await refusal(t, editor.listConfigurationVersions({ configurationId: 'gone' })), 'NotFound');
  const changesOf = async (environment: string) => {
    const headers = { authorization: service.authorization };
    const response = await fetch(`${service.baseUrl}/${environment}/changes`, { headers });
    return (await response.text()).split('\n').filter((line) => line.includes('"gone"')).length;
  };
  t.deepEqual([await changesOf('news'), await changesOf('shop')], [2, 0]);
});

test('an experiment serves no version of other environments', async (t) => {
  await put(admin(), 'tested', ['news']);
  await put(admin(), 'tested', ['shop']);
  const http = createJsonClient(service);
  const variants = [1, 2].map((version) => ({
    name: `v${version}`,
    ...{ share: 1, configurations: { tested: version } },
  }));
  await http.put('/shop/experiments/foreign', { variants });
  const { status, body } = await http.post<{ detail: string }>('/shop/experiments/foreign/start');
  t.is(status, 400);
  t.regex(JSON.stringify(body), /no configuration \\"tested\\" version 1/);
});

test('versions of a configuration of one environment can be estimated there', async (t) => {
  await put(admin(), 'judged', ['shop']);
  const http = createJsonClient(service);
  const estimate = (environment: string) =>
    http.post(`/${environment}/policy-evaluations`, {
      configuration_id: 'judged',
      version: 1,
      metric: 'clicks',
    });
  t.not((await estimate('shop')).status, 404);
  t.is((await estimate('news')).status, 404);
});
