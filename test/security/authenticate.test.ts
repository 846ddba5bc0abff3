import test from 'ava';
import { DomainError } from '../../src/errors.ts';
import { type Authenticator, createAuthenticator, type Need } from '../../src/security/authenticate.ts';
import type { CallCredentials, Caller } from '../../src/security/caller.ts';
import { createClientCache } from '../../src/security/client-cache.ts';
import { createKeyRing } from '../../src/security/jwt/key-ring.ts';
import { createTokens, type Tokens } from '../../src/security/jwt/tokens.ts';
import { createTestClock } from './support/clock.ts';
import { errorOf, outcomeOf } from './support/reasons.ts';
import { createMemoryClientStore, createMemoryKeyStore } from './support/stores.ts';

const writeKey = `wk_${'1'.repeat(32)}`;
const disabledKey = `wk_${'2'.repeat(32)}`;
const unknownKey = `wk_${'3'.repeat(32)}`;
const origin = 'https://shop.example';
const peer = '192.0.2.1';

async function setUp({ external = false } = {}) {
  const time = createTestClock();
  const store = createMemoryClientStore();
  for (const clientId of ['c_shop', 'c_admin', 'c_disabled']) {
    await store.insert({ clientId, kind: 'confidential', name: clientId, scopes: [], origins: [] });
  }
  for (const clientId of [writeKey, disabledKey]) {
    const page = { name: 'page', scopes: ['events:shop'], origins: [origin] };
    await store.insert({ clientId, kind: 'write_key', ...page });
  }
  await store.disable('c_disabled');
  await store.disable(disabledKey);
  const keys = await createKeyRing({ store: createMemoryKeyStore(), elapsedMs: time.elapsedMs });
  const tokens = createTokens({ keys, clock: time.clock });
  const trusted: Tokens = { ...tokens, hasOurClients: !external };
  const clients = createClientCache({ store, elapsedMs: time.elapsedMs });
  const publicScopes = ['recommendations', 'searches'];
  const authenticator = createAuthenticator({
    publicScopes,
    environments: new Map(),
    tokens: trusted,
    clients,
    elapsedMs: time.elapsedMs,
  });
  const bearer = async (clientId: string, ...scopes: string[]) =>
    `Bearer ${await tokens.issue({ clientId, scopes, lifetimeSeconds: 3600 })}`;
  return { time, store, authenticator, bearer };
}

type Call = CallCredentials & { caller?: Caller };

const items: Need = { scope: 'items', access: 'edit', writeKeyAllowed: false };
const events: Need = { scope: 'events', access: 'edit', writeKeyAllowed: true };
const imports: Need = { scope: 'events', access: 'edit', writeKeyAllowed: false };
const configurations: Need = { scope: 'configurations', access: 'edit', writeKeyAllowed: false };
const metrics: Need = { scope: 'metrics', access: 'edit', writeKeyAllowed: false };
const exports: Need = { scope: 'admin', access: 'edit', writeKeyAllowed: false };
const recommendations: Need = { scope: 'recommendations', access: 'edit', writeKeyAllowed: false };
const anyone: Need = { scope: '', access: 'edit', writeKeyAllowed: false };

/** Both checks of a caller, as on every transport. */
async function admitTo(
  authenticator: Authenticator,
  call: Call,
  need: Need,
  environment?: string,
): Promise<void> {
  await authenticator.admit(call, need);
  authenticator.enter(call, need, environment);
}

/** Client and scopes for a valid token, or raw credentials. */
type Credentials = { token?: [clientId: string, ...scopes: string[]]; sent?: Partial<Call> };

const withKey = (key: string, from: string | undefined = origin) => ({ writeKey: key, origin: from });

/** Calls with the same outcome, by what they show. */
function areAll(
  outcome: string,
  need: Need,
  environment: string | undefined,
  calls: Record<string, Credentials>,
) {
  for (const [why, { token, sent }] of Object.entries(calls))
    test(why, async (t) => {
      const { authenticator, bearer } = await setUp();
      const call: Call = { peer, ...(token && { authorization: await bearer(...token) }), ...sent };
      const admit = () => admitTo(authenticator, call, need, environment);
      t.is(await outcomeOf(admit), outcome, 'at first');
      t.is(await outcomeOf(admit), outcome, 'when known');
    });
}

areAll('ok', anyone, undefined, {
  'an operation without a scope needs nothing': {},
  'an operation without a scope reads no credentials': { sent: { authorization: 'Basic YTpi' } },
});
areAll('ok', recommendations, 'shop', {
  'a public operation needs nothing': {},
  'a public operation takes any valid token': { token: ['c_shop', 'items:shop'] },
  'a public operation takes a valid write key': { sent: withKey(writeKey) },
});
areAll('UNAUTHENTICATED', recommendations, 'shop', {
  'a public operation refuses an invalid token': { sent: { authorization: 'Bearer a.b.c' } },
  'a public operation refuses another scheme': { sent: { authorization: 'Basic YTpi' } },
  'a public operation refuses the token of a disabled client': { token: ['c_disabled', 'items:*'] },
  'a public operation refuses an unknown write key': { sent: withKey(unknownKey) },
});
areAll('UNAUTHENTICATED', items, 'shop', {
  'a protected operation needs a token': {},
  'a client that does not exist is refused': { token: ['c_gone', 'items:*'] },
  'a disabled client is refused': { token: ['c_disabled', 'items:*'] },
  'a token of more than 8 KiB is refused': { sent: { authorization: `Bearer ${'a'.repeat(9000)}` } },
});
areAll('ok', items, 'shop', {
  'the scope of the environment admits': { token: ['c_shop', 'items:shop'] },
  'the scope everywhere admits': { token: ['c_shop', 'items:*'] },
  'one of several scopes admits': { token: ['c_shop', 'events:*', 'items:shop'] },
});
areAll('SCOPE_MISSING', items, 'shop', {
  'the scope of another environment does not': { token: ['c_shop', 'items:other'] },
  'another scope does not': { token: ['c_shop', 'events:*'] },
  'no scope does not': { token: ['c_shop'] },
  'a write key does not write items': { sent: withKey(writeKey) },
});
areAll('SCOPE_MISSING', configurations, undefined, {
  'configurations need the scope everywhere': { token: ['c_shop', 'configurations:shop'] },
});
areAll('ok', configurations, undefined, {
  'configurations are open to the scope everywhere': { token: ['c_shop', 'configurations:*'] },
  'an admin may do everything': { token: ['c_admin', 'admin:*'] },
});
areAll('ok', metrics, 'shop', {
  'metrics of an environment need its scope': { token: ['c_shop', 'metrics:shop'] },
});
areAll('SCOPE_MISSING', metrics, undefined, {
  'metrics of all environments need the scope everywhere': { token: ['c_shop', 'metrics:shop'] },
});
areAll('SCOPE_MISSING', exports, 'shop', {
  'an admin operation needs an admin': { token: ['c_shop', 'events:*'] },
});
areAll('ok', exports, 'shop', {
  'an admin of an environment may do everything there': { token: ['c_admin', 'admin:shop'] },
});
areAll('ok', events, 'shop', {
  'a write key sends events of its environment': { sent: withKey(writeKey) },
  'a write key may be a bearer token': { sent: { authorization: `Bearer ${writeKey}`, origin } },
  'a token sends events from anywhere': { token: ['c_shop', 'events:shop'] },
});
areAll('SCOPE_MISSING', events, 'other', {
  'a write key does not send events of another environment': { sent: withKey(writeKey) },
});
areAll('SCOPE_MISSING', imports, 'shop', {
  'a write key does not import events': { sent: withKey(writeKey) },
});
areAll('ORIGIN_NOT_ALLOWED', events, 'shop', {
  'a write key is refused from another origin': { sent: withKey(writeKey, 'https://evil.example') },
  'a write key is refused from another port': { sent: withKey(writeKey, `${origin}:8443`) },
  'a write key is refused from a page without origin': { sent: withKey(writeKey, 'null') },
  'a write key is refused without an origin': { sent: { writeKey } },
});
areAll('UNAUTHENTICATED', events, 'shop', {
  'a disabled write key is refused': { sent: withKey(disabledKey) },
  'an unknown write key is refused': { sent: withKey(unknownKey) },
  'the id of a confidential client is no write key': { sent: withKey('c_shop') },
  'an empty write key is refused': { sent: withKey('') },
  'a token is no write key': { sent: withKey('a.b.c') },
  'a token and a write key at once are refused': {
    token: ['c_shop', 'events:shop'],
    sent: withKey(writeKey),
  },
});

test('the caller is known after admission, and unknown without credentials', async (t) => {
  const { authenticator, bearer } = await setUp();
  const call: Call = { peer, authorization: await bearer('c_shop', 'items:shop') };
  await admitTo(authenticator, call, items, 'shop');
  t.deepEqual(call.caller, { clientId: 'c_shop', kind: 'confidential', scopes: ['items:shop'] });
  const page: Call = { peer, ...withKey(writeKey) };
  await admitTo(authenticator, page, events, 'shop');
  t.deepEqual(page.caller, { clientId: writeKey, kind: 'write_key', scopes: ['events:shop'] });
  const anonymous: Call = { peer };
  await admitTo(authenticator, anonymous, recommendations, 'shop');
  t.is(anonymous.caller, undefined);
});

test('a refusal names the missing scope', async (t) => {
  const { authenticator, bearer } = await setUp();
  const call: Call = { peer, authorization: await bearer('c_shop', 'items:other') };
  const error = await errorOf(() => admitTo(authenticator, call, items, 'shop'));
  t.deepEqual(error?.metadata, { client_id: 'c_shop', scope: 'items:shop' });
});

test('known callers need no read of the database', async (t) => {
  const { authenticator, bearer, store } = await setUp();
  const call: Call = { peer, authorization: await bearer('c_shop', 'events:shop') };
  const page: Call = { peer, ...withKey(writeKey) };
  for (let turn = 0; turn < 100; turn++) {
    await admitTo(authenticator, call, events, 'shop');
    await admitTo(authenticator, page, events, 'shop');
  }
  t.is(store.finds, 2);
});

test('a disabled client and a disabled write key are refused after ten seconds at the latest', async (t) => {
  const { authenticator, bearer, store, time } = await setUp();
  const call: Call = { peer, authorization: await bearer('c_shop', 'events:shop') };
  const page: Call = { peer, ...withKey(writeKey) };
  await Promise.all([
    admitTo(authenticator, call, events, 'shop'),
    admitTo(authenticator, page, events, 'shop'),
  ]);
  await Promise.all([store.disable('c_shop'), store.disable(writeKey)]);
  time.advance(10_001);
  t.is(await outcomeOf(() => admitTo(authenticator, call, events, 'shop')), 'UNAUTHENTICATED');
  t.is(await outcomeOf(() => admitTo(authenticator, page, events, 'shop')), 'UNAUTHENTICATED');
});

test('the clients of an external issuer are not looked up in the database', async (t) => {
  const { authenticator, bearer, store } = await setUp({ external: true });
  const call: Call = { peer, authorization: await bearer('c_elsewhere', 'items:shop') };
  t.is(await outcomeOf(() => admitTo(authenticator, call, items, 'shop')), 'ok');
  t.is(await outcomeOf(() => admitTo(authenticator, call, items, 'shop')), 'ok');
  t.is(store.finds, 0);
});

test('an unavailable database is UNAVAILABLE, not an invalid credential', async (t) => {
  const { authenticator, bearer, store } = await setUp();
  store.fault = new DomainError('UNAVAILABLE', 'away');
  const call: Call = { peer, authorization: await bearer('c_shop', 'items:shop') };
  t.is(await outcomeOf(() => admitTo(authenticator, call, items, 'shop')), 'UNAVAILABLE');
});

test('during a flood of invalid credentials, valid ones are accepted, and unknown ones verified one at a time', async (t) => {
  const { authenticator, bearer, store } = await setUp();
  const guess = (index: number, from: string) => {
    const key = `wk_${index.toString(16).padStart(32, '0')}`;
    return outcomeOf(() => admitTo(authenticator, { peer: from, ...withKey(key) }, events, 'shop'));
  };
  for (let index = 0; index < 1000; index++) t.is(await guess(index, peer), 'UNAUTHENTICATED');
  const flood = Array.from({ length: 90 }, (_, index) => guess(2000 + index, peer));
  const valid: Call = { peer, authorization: await bearer('c_shop', 'items:shop') };
  t.is(await outcomeOf(() => admitTo(authenticator, valid, items, 'shop')), 'ok');
  t.is(await outcomeOf(() => admitTo(authenticator, { peer, ...withKey(writeKey) }, events, 'shop')), 'ok');
  t.is(await guess(3000, '192.0.2.2'), 'UNAUTHENTICATED');
  t.deepEqual(new Set(await Promise.all(flood)), new Set(['UNAUTHENTICATED']));
  t.is(store.finds, 1093);
});

test('a malformed write key is refused without a read of the database', async (t) => {
  const { authenticator, store } = await setUp();
  for (const key of ['', 'wk_', 'wk_ABC', `${writeKey}0`, "wk_' or 1=1", 'c_shop', '\0']) {
    t.is(
      await outcomeOf(() => admitTo(authenticator, { peer, ...withKey(key) }, events, 'shop')),
      'UNAUTHENTICATED',
    );
  }
  t.is(store.finds, 0);
});

test('a client disabled during its call keeps access no longer than a new call would', async (t) => {
  const { authenticator, bearer, store, time } = await setUp();
  const call: Call = { peer, authorization: await bearer('c_shop', 'items:*') };
  await authenticator.admit(call, items);
  await authenticator.remain(call);
  await store.disable('c_shop');
  time.advance(10_001);
  t.is(await outcomeOf(() => authenticator.remain(call)), 'UNAUTHENTICATED');
});

test('a token that expires during a call does not end it', async (t) => {
  const { authenticator, bearer, time } = await setUp();
  const call: Call = { peer, authorization: await bearer('c_shop', 'items:*') };
  await authenticator.admit(call, items);
  time.advance(2 * 3_600_000);
  await t.notThrowsAsync(authenticator.remain(call));
});

test('anonymous callers of public operations, and clients of another issuer, keep access', async (t) => {
  const { authenticator } = await setUp({ external: true });
  await t.notThrowsAsync(authenticator.remain({}));
  const caller: Caller = { clientId: 'theirs', kind: 'confidential', scopes: [] };
  await t.notThrowsAsync(authenticator.remain({ caller }));
});
