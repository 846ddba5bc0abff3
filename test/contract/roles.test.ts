/** People: invitations, sign-in, roles, removal, and what administrators of other environments may do. */

import { Code, ConnectError } from '@connectrpc/connect';
import test from 'ava';
import { query } from '../../src/repository/database.ts';
import { createJsonClient } from '../support/json-client.ts';
import { shopDeployment } from '../support/service.ts';
import { createClients } from './support/clients.ts';
import { createPeopleCalls, invitationOf, password, refusal, until } from './support/people.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(
  shopDeployment.replace('  - name: news', '  - name: news\n    require_approval: true'),
);
const { as, admin, signIn, invite, join } = createPeopleCalls(service);
const adminOf = async (environment: string) =>
  as((await createClients(service).create(`admin:${environment}`)).authorization);

test('an invitation sets the password once, and the password signs in', async (t) => {
  const { link, session } = await join('anna@shop.example', 'viewer:shop');
  t.is(session.name, 'Name of anna@shop.example');
  t.regex(session.client_id!, /^u_/);
  t.is((await signIn({ invitation: invitationOf(link), password })).reason, 'CLIENT_INVALID');
  t.truthy((await signIn({ email: ' Anna@Shop.Example', password })).access_token);
  t.is((await signIn({ email: 'anna@shop.example', password: `${password}!` })).reason, 'CLIENT_INVALID');
  t.is((await signIn({ email: 'nobody@shop.example', password })).reason, 'CLIENT_INVALID');
  const rows = await query<{ hash: string }>(
    service.database,
    '',
    `select secret_hash as hash from clients where email = 'anna@shop.example'`,
    [],
  );
  t.regex(rows[0].hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('an expired invitation and a short password are refused', async (t) => {
  const { linkPath: link, person } = await invite('late@shop.example', 'viewer:shop');
  const invitation = invitationOf(link);
  t.is((await signIn({ invitation, password: 'short' })).reason, 'BODY_INVALID');
  const expire = `update clients set link_expires_at = now() where client_id = $1 returning 1`;
  await query(service.database, '', expire, [person!.personId]);
  t.is((await signIn({ invitation, password })).reason, 'CLIENT_INVALID');
});

test('an e-mail address has one person; roles and addresses are checked', async (t) => {
  await invite('twice@shop.example', 'viewer:shop');
  t.is(await refusal(t, invite('Twice@shop.example', 'editor:news')), 'AlreadyExists');
  for (const roles of [[], ['items:shop'], ['viewer'], ['viewer:shop', 'editor:shop']])
    t.is(await refusal(t, invite('other@shop.example', ...roles)), 'InvalidArgument', roles.join());
  t.is(await refusal(t, invite('no address', 'viewer:shop')), 'InvalidArgument');
});

test('a viewer reads its environment and changes nothing', async (t) => {
  const viewer = await join('viewer@shop.example', 'viewer:shop');
  const { environments } = await viewer.environments.listEnvironments({});
  t.deepEqual(
    environments.map(({ name }) => name),
    ['shop'],
  );
  await viewer.configurations.listConfigurations({});
  const configuration = { configurationId: 'of-viewer', environments: ['shop'] };
  t.is(await refusal(t, viewer.configurations.createConfiguration({ configuration })), 'PermissionDenied');
  const draft = { configurationId: 'of-viewer', document: { environments: ['shop'] } };
  t.is(await refusal(t, viewer.configurations.putConfigurationDraft(draft)), 'PermissionDenied');
  t.is(await refusal(t, viewer.people.listPeople({})), 'PermissionDenied');
});

test('an editor publishes where no approval is required, and a publisher everywhere', async (t) => {
  const editor = await join('editor@shop.example', 'editor:*');
  const publisher = await join('publisher@shop.example', 'publisher:news');
  const put = (person: typeof editor, id: string, ...environments: string[]) =>
    person.configurations.putConfiguration({ configurationId: id, configuration: { environments } });
  t.is((await put(editor, 'approved', 'shop')).version, 1);
  for (const places of [['news'], ['shop', 'news'], []])
    t.is(await refusal(t, put(editor, 'approved-not', ...places)), 'PermissionDenied', places.join());
  t.is((await put(publisher, 'approved-news', 'news')).version, 1);
  t.is(await refusal(t, put(publisher, 'approved-shop', 'shop')), 'PermissionDenied');
});

test('an editor proposes a draft, a later save withdraws it, and a publisher publishes', async (t) => {
  const editor = await join('proposer@shop.example', 'editor:news');
  const publisher = await join('approver@shop.example', 'publisher:news');
  const document = { environments: ['news'] };
  const draft = { configurationId: 'proposed', document };
  const proposalOf = async () =>
    (await publisher.configurations.getConfigurationDraft({ configurationId: 'proposed' })).draft?.proposal;
  await editor.configurations.putConfigurationDraft({ ...draft, proposal: 'For spring' });
  t.is(await proposalOf(), 'For spring');
  await editor.configurations.putConfigurationDraft(draft);
  t.is(await proposalOf(), undefined);
  await editor.configurations.putConfigurationDraft({ ...draft, proposal: '' });
  t.is(await proposalOf(), '');
  const configuration = { environments: ['news'] };
  const write = { configurationId: 'proposed', configuration };
  t.is(await refusal(t, editor.configurations.putConfiguration(write)), 'PermissionDenied');
  t.is((await publisher.configurations.putConfiguration(write)).version, 1);
  t.is(await proposalOf(), '', 'a draft written meanwhile would stay too');
  await publisher.configurations.deleteConfigurationDraft({
    configurationId: 'proposed',
    expectedRevision: 3,
  });
  t.is(await refusal(t, proposalOf()), 'NotFound');
  const { entries } = await admin().audit.listAuditEntries({ resource: 'configurations/proposed' });
  t.deepEqual(
    entries.map(({ action, clientName }) => `${action} ${clientName.split(' ').at(-1)}`),
    [
      'configurations.discard_draft approver@shop.example',
      'configurations.put approver@shop.example',
      'configurations.propose proposer@shop.example',
      'configurations.propose proposer@shop.example',
    ],
  );
});

test('histories show the name, also after the removal', async (t) => {
  const editor = await join('history@shop.example', 'editor:shop');
  const configuration = { environments: ['shop'] };
  await editor.configurations.putConfiguration({ configurationId: 'named', configuration });
  const document = { environments: ['shop'] };
  const { draft } = await editor.configurations.putConfigurationDraft({ configurationId: 'named', document });
  t.is(draft?.clientName, 'Name of history@shop.example');
  await admin().people.removePerson({ personId: editor.personId });
  const { versions } = await admin().configurations.listConfigurationVersions({ configurationId: 'named' });
  t.deepEqual(
    versions.map(({ clientName }) => clientName),
    ['Name of history@shop.example'],
  );
  const { entries } = await admin().audit.listAuditEntries({ resource: `people/${editor.personId}` });
  t.deepEqual(
    entries.map(({ action, clientName }) => [action, clientName]),
    [
      ['people.remove', 'admin'],
      ['people.invite', 'admin'],
    ],
  );
  t.false(JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? '' : value)).includes('@'));
});

test('the views that a person has not shared are deleted with the person', async (t) => {
  const editor = await join('views@shop.example', 'editor:shop');
  const http = createJsonClient({ ...service, authorization: `Bearer ${editor.session.access_token}` });
  for (const shared of [false, true])
    await http.put(`/shop/views/shared-${shared}`, { title: '"shared":false', query: '', shared });
  await admin().people.removePerson({ personId: editor.personId });
  const text = `select view_id from saved_views where client_id = $1`;
  t.deepEqual(await query(service.database, '', text, [editor.personId]), [{ view_id: 'shared-true' }]);
});

test('a changed role applies to the running session; removal and reset end it', async (t) => {
  const person = await join('changing@shop.example', 'viewer:shop');
  const list = () => person.configurations.listConfigurations({});
  await list();
  const { personId } = person;
  await admin().people.setPersonRoles({ personId, roles: ['editor:shop'] });
  const put = () =>
    person.configurations
      .putConfiguration({ configurationId: 'changed', configuration: { environments: ['shop'] } })
      .then(
        () => true,
        () => false,
      );
  await until(put);
  const { linkPath: link } = await admin().people.resetPerson({ personId });
  await until(() =>
    list().then(
      () => false,
      (error) => ConnectError.from(error).code === Code.Unauthenticated,
    ),
  );
  t.is((await signIn({ email: 'changing@shop.example', password })).reason, 'CLIENT_INVALID');
  const again = await signIn({ invitation: invitationOf(link), password });
  const renewed = as(`Bearer ${again.access_token}`);
  await until(() =>
    renewed.configurations.listConfigurations({}).then(
      () => true,
      () => false,
    ),
  );
  await admin().people.removePerson({ personId });
  await until(() =>
    renewed.configurations.listConfigurations({}).then(
      () => false,
      () => true,
    ),
  );
  t.is((await signIn({ email: 'changing@shop.example', password })).reason, 'CLIENT_INVALID');
  t.is(await refusal(t, admin().people.resetPerson({ personId })), 'NotFound');
});

test('an administrator of another environment neither sees nor changes people of this one', async (t) => {
  const ofShop = await adminOf('shop');
  const ofNews = await adminOf('news');
  const { person } = await ofShop.people.invitePerson({
    person: { name: 'Ben', email: 'ben@shop.example', roles: ['viewer:shop'] },
  });
  const { personId } = person!;
  const seen = async ({ people }: typeof ofShop) =>
    (await people.listPeople({})).people.find((one) => one.personId === personId);
  t.truthy(await seen(ofShop));
  t.is(await seen(ofNews), undefined);
  const { people } = ofNews;
  for (const call of [
    people.setPersonRoles({ personId, roles: ['viewer:news'] }),
    people.resetPerson({ personId }),
    people.removePerson({ personId }),
  ])
    t.is(await refusal(t, call), 'NotFound');
  for (const role of ['viewer:shop', 'viewer:*', 'admin:*'])
    t.is(
      await refusal(t, people.invitePerson({ person: { name: 'C', email: 'c@x.example', roles: [role] } })),
      'PermissionDenied',
    );

  await admin().people.setPersonRoles({ personId, roles: ['viewer:shop', 'editor:news'] });
  t.like(await seen(ofNews), { roles: ['editor:news'], manageable: false });
  t.is(await refusal(t, people.resetPerson({ personId })), 'PermissionDenied');
  t.is(await refusal(t, people.removePerson({ personId })), 'PermissionDenied');
  await people.setPersonRoles({ personId, roles: ['viewer:news'] });
  t.deepEqual((await seen(admin()))?.roles.toSorted(), ['viewer:news', 'viewer:shop']);
  await people.setPersonRoles({ personId, roles: [] });
  t.deepEqual((await seen(ofShop))?.roles, ['viewer:shop']);
});

test('nobody changes the own access, and a token is not more than its person', async (t) => {
  const person = await join('boss@shop.example', 'admin:*');
  const { personId } = person;
  t.is(await refusal(t, person.people.removePerson({ personId })), 'InvalidArgument');
  t.is(await refusal(t, person.people.setPersonRoles({ personId, roles: ['viewer:*'] })), 'InvalidArgument');
  t.true((await person.people.listPeople({})).people.length > 0);
});
