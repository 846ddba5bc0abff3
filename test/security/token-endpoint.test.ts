import test from 'ava';
import { decodeJwt } from 'jose';
import { createClients } from '../../src/security/clients.ts';
import { createKeyRing } from '../../src/security/jwt/key-ring.ts';
import { createTokens } from '../../src/security/jwt/tokens.ts';
import { createForeignTokenEndpoint, createTokenEndpoint } from '../../src/security/token-endpoint.ts';
import { createTestClock } from './support/clock.ts';
import { errorOf, outcomeOf } from './support/reasons.ts';
import { createMemoryClientStore, createMemoryKeyStore } from './support/stores.ts';

const peer = '192.0.2.1';
/** Signing in has its own tests, in test/contract/roles.test.ts. */
const secondFactor = { spend: async () => false };
const people = { verifyPassword: async () => undefined, redeem: async () => undefined };
const scopes = ['items:*', 'events:shop'];

async function setUp() {
  const time = createTestClock();
  const clients = createClients({ store: createMemoryClientStore() });
  const keys = await createKeyRing({ store: createMemoryKeyStore(), elapsedMs: time.elapsedMs });
  const tokens = createTokens({ keys, clock: time.clock });
  const endpoint = createTokenEndpoint({
    ...{ clients, people, secondFactor, tokens, lifetimeSeconds: 600, elapsedMs: time.elapsedMs },
  });
  const own = await clients.createClient({ name: 'shop', scopes });
  return { time, clients, tokens, endpoint, own };
}

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

test('id and secret are exchanged for a token with all scopes of the client', async (t) => {
  const { endpoint, own, tokens } = await setUp();
  const grant = await endpoint.createToken(own, { peer });
  t.like(grant, { tokenType: 'Bearer', expiresIn: 600, scope: 'items:* events:shop' });
  t.deepEqual((await tokens.verify(grant.accessToken))?.scopes, scopes);
  const { iat, exp } = decodeJwt(grant.accessToken);
  t.is(exp! - iat!, 600);
});

test('id and secret may be in a Basic header', async (t) => {
  const { endpoint, own } = await setUp();
  const authorization = basic(own.clientId, own.clientSecret);
  t.is(await outcomeOf(() => endpoint.createToken({}, { authorization, peer })), 'ok');
  t.is(
    await outcomeOf(() => endpoint.createToken({ clientId: own.clientId }, { authorization, peer })),
    'ok',
  );
});

test('a header of another scheme is ignored if the body has the credentials', async (t) => {
  const { endpoint, own } = await setUp();
  t.is(await outcomeOf(() => endpoint.createToken(own, { authorization: 'Bearer old', peer })), 'ok');
});

type Own = { clientId: string; clientSecret: string };

const refused: [
  why: string,
  request: (own: Own) => object,
  header: (own: Own) => string | undefined,
  reason: string,
][] = [
  [
    'a wrong secret',
    ({ clientId }) => ({ clientId, clientSecret: 'guess' }),
    () => undefined,
    'CLIENT_INVALID',
  ],
  [
    'an unknown client',
    ({ clientSecret }) => ({ clientId: 'c_x', clientSecret }),
    () => undefined,
    'CLIENT_INVALID',
  ],
  ['a wrong secret in the header', () => ({}), ({ clientId }) => basic(clientId, 'guess'), 'CLIENT_INVALID'],
  ['an unreadable header', (own) => own, () => 'Basic !', 'CLIENT_INVALID'],
  ['no id', ({ clientSecret }) => ({ clientSecret }), () => undefined, 'BODY_INVALID'],
  ['no secret', ({ clientId }) => ({ clientId }), () => undefined, 'BODY_INVALID'],
  ['an empty secret', ({ clientId }) => ({ clientId, clientSecret: '' }), () => undefined, 'BODY_INVALID'],
  [
    'a secret in header and body',
    (own) => own,
    (own) => basic(own.clientId, own.clientSecret),
    'BODY_INVALID',
  ],
  ['two ids', () => ({ clientId: 'c_x' }), (own) => basic(own.clientId, own.clientSecret), 'BODY_INVALID'],
  [
    'a scope that the client lacks',
    (own) => ({ ...own, scope: 'metrics:*' }),
    () => undefined,
    'BODY_INVALID',
  ],
  ['a wider scope', (own) => ({ ...own, scope: 'items:shop events:*' }), () => undefined, 'BODY_INVALID'],
  ['an invalid scope', (own) => ({ ...own, scope: 'items:* openid' }), () => undefined, 'BODY_INVALID'],
  ['65 scopes', (own) => ({ ...own, scope: manyScopes(65) }), () => undefined, 'BODY_INVALID'],
];

function manyScopes(count: number): string {
  return Array.from({ length: count }, (_, index) => `items:e${index}`).join(' ');
}

for (const [why, request, header, reason] of refused) {
  test(`${why} is ${reason}`, async (t) => {
    const { endpoint, own } = await setUp();
    const call = { authorization: header(own), peer };
    t.is(await outcomeOf(() => endpoint.createToken(request(own), call)), reason);
  });
}

test('a disabled client gets no token', async (t) => {
  const { endpoint, own, clients } = await setUp();
  await clients.disable(own.clientId);
  t.is(await outcomeOf(() => endpoint.createToken(own, { peer })), 'CLIENT_INVALID');
});

const narrowed: [wanted: string, granted: string][] = [
  ['events:shop', 'events:shop'],
  ['items:shop', 'items:shop'],
  [' items:a  items:b items:a ', 'items:a items:b'],
  ['', 'items:* events:shop'],
  ['  ', 'items:* events:shop'],
];

for (const [wanted, granted] of narrowed) {
  test(`a client that requests ${JSON.stringify(wanted)} gets ${granted}`, async (t) => {
    const { endpoint, own } = await setUp();
    t.is((await endpoint.createToken({ ...own, scope: wanted }, { peer })).scope, granted);
  });
}

test('an admin may request any scope', async (t) => {
  const { endpoint, clients } = await setUp();
  const admin = await clients.createClient({ name: 'admin', scopes: ['admin:*'] });
  const grant = await endpoint.createToken({ ...admin, scope: 'items:shop metrics:*' }, { peer });
  t.is(grant.scope, 'items:shop metrics:*');
});

/** An endpoint with free verification, unless the test delays it. */
function createQuickEndpoint() {
  const time = createTestClock();
  const client = {
    clientId: 'c_1',
    kind: 'confidential',
    name: '',
    scopes,
    origins: [],
    createdAt: new Date(0),
  } as const;
  const running = { now: 0, most: 0, held: Promise.resolve() };
  const clients = {
    async verifySecret(clientId: string, clientSecret: string) {
      running.most = Math.max(running.most, ++running.now);
      await running.held;
      running.now--;
      return clientId === 'c_1' && clientSecret === 'right' ? client : undefined;
    },
  };
  const tokens = { issue: async () => 'token' };
  const endpoint = createTokenEndpoint({
    ...{ clients, people, secondFactor, tokens, lifetimeSeconds: 600, elapsedMs: time.elapsedMs },
  });
  const attempt = (clientSecret: string, from: string, clientId = 'c_1') =>
    errorOf(() => endpoint.createToken({ clientId, clientSecret }, { peer: from }));
  return { attempt, running };
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

test('wrong secrets from an address do not lock out the right one', async (t) => {
  const { attempt } = createQuickEndpoint();
  for (let index = 0; index < 31; index++) t.is((await attempt('wrong', peer))?.reason, 'CLIENT_INVALID');
  t.is(await attempt('right', peer), undefined);
  const flood = times(90, () => attempt('wrong', peer));
  t.is(await attempt('right', peer), undefined);
  await Promise.all(flood);
});

test('after thirty failures a peer is verified one at a time, with a limited queue', async (t) => {
  const { attempt, running } = createQuickEndpoint();
  for (let index = 0; index < 30; index++) await attempt('wrong', `2001:db8:0:1::${index + 1}`, `c_${index}`);
  running.most = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  running.held = promise;
  const waiting = times(101, () => attempt('wrong', '2001:db8:0:1:ffff::9'));
  t.is((await attempt('wrong', '2001:db8:0:1::1'))?.reason, 'RATE_LIMITED');
  const elsewhere = attempt('wrong', '2001:db8:0:2::1', 'c_2');
  resolve();
  t.is((await elsewhere)?.reason, 'CLIENT_INVALID');
  for (const outcome of await Promise.all(waiting)) t.is(outcome?.reason, 'CLIENT_INVALID');
  t.is(running.most, 2);
});

test('guesses at one client from many peers are verified one at a time, and the client still gets tokens', async (t) => {
  const { attempt, running } = createQuickEndpoint();
  t.is(await attempt('right', peer), undefined);
  for (let index = 0; index < 100; index++) await attempt('wrong', `198.51.100.${index}`);
  t.is(await attempt('right', '203.0.113.1'), undefined);
  running.most = 0;
  await Promise.all(times(50, (index) => attempt('wrong', `203.0.113.${index + 2}`)));
  t.is(running.most, 1);
});

test('successes are not counted', async (t) => {
  const { attempt } = createQuickEndpoint();
  for (let index = 0; index < 200; index++) t.is(await attempt('right', peer), undefined);
});

test('a deployment with another issuer names it', async (t) => {
  const endpoint = createForeignTokenEndpoint('https://id.example');
  const error = await errorOf(() => endpoint.createToken({}, { peer }));
  t.is(error?.reason, 'NOT_IMPLEMENTED');
  t.deepEqual(error?.metadata, { issuer: 'https://id.example' });
});
