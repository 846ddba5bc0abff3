/** The own account: password, second factor and recovery codes. */

import { Code, ConnectError } from '@connectrpc/connect';
import test from 'ava';
import { TOTP } from 'otpauth';
import { query } from '../../src/repository/database.ts';
import { createPeopleCalls, invitationOf, password, refusal, until } from './support/people.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const { as, admin, signIn, join } = createPeopleCalls(service);

const isEnded = ({ environments }: ReturnType<typeof as>) =>
  environments.listEnvironments({}).then(
    () => false,
    (error) => ConnectError.from(error).code === Code.Unauthenticated,
  );

test('a person changes the own password, and all other sessions end', async (t) => {
  const email = 'secret@shop.example';
  const person = await join(email, 'viewer:shop');
  const other = as(`Bearer ${(await signIn({ email, password })).access_token}`);
  const newPassword = `${password}, new`;
  const wrong = { password: `${password}!`, newPassword };
  t.is(await refusal(t, person.account.changePassword(wrong)), 'InvalidArgument');
  t.is(
    await refusal(t, person.account.changePassword({ password, newPassword: 'short' })),
    'InvalidArgument',
  );
  const { accessToken } = await person.account.changePassword({ password, newPassword });
  const renewed = as(`Bearer ${accessToken}`);
  t.is((await renewed.environments.listEnvironments({})).environments.length, 1);
  for (const ended of [person, other]) await until(() => isEnded(ended));
  t.is((await signIn({ email, password })).reason, 'CLIENT_INVALID');
  t.truthy((await signIn({ email, password: newPassword })).access_token);
  t.is(await refusal(t, admin().account.changePassword({ password, newPassword })), 'NotFound');
  const { entries } = await admin().audit.listAuditEntries({ resource: `people/${person.personId}` });
  t.is(entries[0].action, 'people.change_password');
});

/** A person with a second factor, the app, and the present session. */
async function joinWithFactor(email: string) {
  const { account, personId } = await join(email, 'viewer:shop');
  const { setupKey, setupUri } = await account.createSecondFactor({});
  const app = new TOTP({ secret: setupKey });
  const code = app.generate();
  const { recoveryCodes, accessToken } = await account.confirmSecondFactor({ password, setupKey, code });
  return { ...as(`Bearer ${accessToken}`), personId, setupKey, setupUri, app, code, recoveryCodes };
}

test('the second factor asks for a code, and no code works twice', async (t) => {
  const email = 'factor@shop.example';
  const person = await joinWithFactor(email);
  t.regex(person.setupUri, /^otpauth:\/\/totp\/Personalisation:factor%40shop.example\?.*secret=[A-Z2-7]{32}/);
  t.like(await person.account.getAccount({}), {
    email,
    hasPassword: true,
    secondFactor: true,
    recoveryCodeCount: 10,
  });
  t.deepEqual(await signIn({ email, password }), { code_needed: true });
  t.is(
    (await signIn({ email, password: `${password}!`, one_time_code: person.code })).reason,
    'CLIENT_INVALID',
  );
  t.is(
    (await signIn({ email, password, one_time_code: person.code })).reason,
    'CLIENT_INVALID',
    'used up by the setup',
  );
  const next = person.app.generate({ timestamp: Date.now() + 30_000 });
  const both = await Promise.all([1, 2].map(() => signIn({ email, password, one_time_code: next })));
  t.is(both.filter(({ access_token }) => access_token).length, 1);
  const [recovery, other] = person.recoveryCodes;
  t.regex(recovery, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  t.truthy((await signIn({ email, password, one_time_code: recovery.toLowerCase() })).access_token);
  t.is((await signIn({ email, password, one_time_code: recovery })).reason, 'CLIENT_INVALID');
  t.is((await person.account.getAccount({})).recoveryCodeCount, 9);
  t.is(await refusal(t, person.account.removeSecondFactor({ password, code: recovery })), 'InvalidArgument');
  await person.account.removeSecondFactor({ password, code: other });
  t.truthy((await signIn({ email, password })).access_token);
});

test('a second factor needs the password, a right code, and no other one', async (t) => {
  const { account } = await join('setup@shop.example', 'viewer:shop');
  const { setupKey } = await account.createSecondFactor({});
  const code = new TOTP({ secret: setupKey }).generate();
  for (const wrong of [
    { password: 'wrong' },
    { code: code === '000000' ? '000001' : '000000' },
    { setupKey: 'A'.repeat(31) },
  ])
    t.is(
      await refusal(t, account.confirmSecondFactor({ password, setupKey, code, ...wrong })),
      'InvalidArgument',
    );
  t.false((await account.getAccount({})).secondFactor);
  const { accessToken } = await account.confirmSecondFactor({ password, setupKey, code });
  const again = as(`Bearer ${accessToken}`).account.confirmSecondFactor({ password, setupKey, code });
  t.is(await refusal(t, again), 'InvalidArgument');
});

test('after ten codes, even the right one waits', async (t) => {
  const email = 'guessed@shop.example';
  const { recoveryCodes } = await joinWithFactor(email);
  for (let i = 0; i < 10; i++)
    t.is((await signIn({ email, password, one_time_code: 'AAAA' })).reason, 'CLIENT_INVALID');
  t.is((await signIn({ email, password, one_time_code: recoveryCodes[0] })).reason, 'RATE_LIMITED');
});

test('an administrator sees and resets the second factor', async (t) => {
  const email = 'lost@shop.example';
  const { personId } = await joinWithFactor(email);
  const { people } = await admin().people.listPeople({});
  t.true(people.find((one) => one.personId === personId)?.secondFactor);
  const { linkPath } = await admin().people.resetPerson({ personId });
  t.truthy((await signIn({ invitation: invitationOf(linkPath), password })).access_token);
  t.truthy((await signIn({ email, password })).access_token);
  const text = `select totp_key is null and totp_step is null and recovery_hashes = '{}' as "isGone" from clients where client_id = $1`;
  t.deepEqual(await query(service.database, '', text, [personId]), [{ isGone: true }]);
});
