import test from 'ava';
import {
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { createKeyRing, type SigningKey } from '../../../src/security/jwt/key-ring.ts';
import { createPreviewTokens, createTokens } from '../../../src/security/jwt/tokens.ts';
import { createTestClock } from '../support/clock.ts';
import { createMemoryKeyStore } from '../support/stores.ts';

const grant = { clientId: 'c_1', scopes: ['items:shop', 'events:*'], lifetimeSeconds: 3600 };

async function setUp() {
  const time = createTestClock();
  const store = createMemoryKeyStore();
  const keys = await createKeyRing({ store, elapsedMs: time.elapsedMs });
  return { time, store, tokens: createTokens({ keys, clock: time.clock }) };
}

async function newKey(keyId: string, algorithm = 'ES256'): Promise<SigningKey & { privateKey: CryptoKey }> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const [privateJwk, publicJwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)]);
  return { keyId, algorithm, privateJwk, publicJwk, privateKey: pair.privateKey };
}

test('an issued token has its client, scopes and lifetime, and is verified', async (t) => {
  const { tokens, time } = await setUp();
  const token = await tokens.issue(grant);
  t.deepEqual(await tokens.verify(token), {
    clientId: 'c_1',
    kind: 'confidential',
    scopes: ['items:shop', 'events:*'],
  });
  const claims = decodeJwt(token);
  t.is(claims.exp! - claims.iat!, 3600);
  t.is(claims.iat! * 1000, time.clock());
  t.is(decodeProtectedHeader(token).typ, 'at+jwt');
});

test('a token of a preview is no access token and expires', async (t) => {
  const { time, store, tokens } = await setUp();
  const keys = await createKeyRing({ store, elapsedMs: time.elapsedMs });
  const previews = createPreviewTokens({ keys, clock: time.clock });
  const previewed = { environment: 'shop', configurationId: 'home', revision: undefined };
  const token = await previews.issue(previewed, 60);
  t.is(await tokens.verify(token), undefined);
  t.is(await previews.verify(await tokens.issue(grant)), undefined);
  t.deepEqual(await previews.verify(token), previewed);
  time.advance(66_000);
  t.is(await previews.verify(token), undefined);
});

test('tokens are unique', async (t) => {
  const { tokens } = await setUp();
  t.not(await tokens.issue(grant), await tokens.issue(grant));
});

test('a verified token is cached until its last second', async (t) => {
  const { tokens, time } = await setUp();
  const token = await tokens.issue({ ...grant, lifetimeSeconds: 60 });
  t.is(tokens.peek(token), undefined);
  const caller = await tokens.verify(token);
  time.advance(59_999);
  t.is(tokens.peek(token), caller);
  time.advance(1);
  t.is(tokens.peek(token), undefined);
});

test('a cached token is verified again after five minutes', async (t) => {
  const { tokens, time } = await setUp();
  const token = await tokens.issue(grant);
  await tokens.verify(token);
  time.advance(300_000);
  t.is(tokens.peek(token), undefined);
  t.truthy(await tokens.verify(token));
});

test('verifying a token needs no query', async (t) => {
  const { tokens, store } = await setUp();
  const token = await tokens.issue(grant);
  const before = store.lists;
  await tokens.verify(token);
  t.is(store.lists, before);
});

/** A valid token except for the changes of the row, signed with the service's key. */
type Change = { claims?: Partial<JWTPayload>; header?: { typ?: string; kid?: string }; without?: string };

async function signLike(
  key: SigningKey & { privateKey: CryptoKey },
  nowMs: number,
  change: Change,
): Promise<string> {
  const now = Math.floor(nowMs / 1000);
  const claims: JWTPayload = {
    ...{
      iss: 'personalisation',
      aud: 'personalisation',
      sub: 'c_1',
      scope: 'items:*',
      iat: now,
      exp: now + 60,
    },
    ...change.claims,
  };
  if (change.without !== undefined) delete claims[change.without];
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.algorithm, typ: 'at+jwt', kid: key.keyId, ...change.header })
    .sign(key.privateKey);
}

const start = Math.floor(createTestClock().clock() / 1000);

const changes: [why: string, change: Change, valid: boolean][] = [
  ['no change', {}, true],
  ['another issuer', { claims: { iss: 'other' } }, false],
  ['another audience', { claims: { aud: 'other' } }, false],
  ['expired a minute ago', { claims: { exp: start - 60 } }, false],
  ['expired within the clock skew', { claims: { exp: start - 3 } }, true],
  ['not valid before a minute from now', { claims: { nbf: start + 60 } }, false],
  ['not valid before a time within the clock skew', { claims: { nbf: start + 3 } }, true],
  ['no expiry', { without: 'exp' }, false],
  ['no subject', { without: 'sub' }, false],
  ['no scope', { without: 'scope' }, false],
  ['no issuer', { without: 'iss' }, false],
  ['no audience', { without: 'aud' }, false],
  ['the type of another kind of token', { header: { typ: 'JWT' } }, false],
  ['an unknown key id', { header: { kid: 'unknown' } }, false],
  ['no key id', { header: { kid: undefined } }, false],
];

for (const [why, change, valid] of changes) {
  test(`a token with ${why} is ${valid ? 'accepted' : 'refused'}`, async (t) => {
    const time = createTestClock();
    const store = createMemoryKeyStore();
    const key = await newKey('ours');
    store.keys.push(key);
    const keys = await createKeyRing({ store, elapsedMs: time.elapsedMs });
    const tokens = createTokens({ keys, clock: time.clock });
    const token = await signLike(key, time.clock(), change);
    t.is((await tokens.verify(token)) !== undefined, valid);
  });
}

test('a token with a known key ID and another signature is refused', async (t) => {
  const { tokens, store, time } = await setUp();
  const stranger = { ...(await newKey('x')), keyId: store.keys[0].keyId };
  t.is(await tokens.verify(await signLike(stranger, time.clock(), {})), undefined);
});

test('a token signed with another algorithm is refused', async (t) => {
  const { tokens, store, time } = await setUp();
  for (const algorithm of ['EdDSA', 'RS256', 'ES384']) {
    const key = { ...(await newKey('x', algorithm)), keyId: store.keys[0].keyId };
    t.is(await tokens.verify(await signLike(key, time.clock(), {})), undefined, algorithm);
  }
});

test('a token signed with the public key as a shared secret is refused', async (t) => {
  const { tokens, store } = await setUp();
  const secret = new TextEncoder().encode(JSON.stringify(store.keys[0].publicJwk));
  const [{ keyId }] = store.keys;
  const token = await new SignJWT(decodeJwt(await tokens.issue(grant)))
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: keyId })
    .sign(secret);
  t.is(await tokens.verify(token), undefined);
});

test('a token without a signature is refused', async (t) => {
  const { tokens } = await setUp();
  const claims = decodeJwt(await tokens.issue(grant));
  const unsecured = new UnsecuredJWT(claims).encode();
  const [, payload, signature] = (await tokens.issue(grant)).split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
  t.is(await tokens.verify(unsecured), undefined);
  t.is(await tokens.verify(`${header}.${payload}.${signature}`), undefined);
});

test('a token changed at any place is refused', async (t) => {
  const { tokens } = await setUp();
  const token = await tokens.issue(grant);
  await tokens.verify(token);
  for (let part = 0; part < 3; part++) {
    const parts = token.split('.');
    const middle = Math.floor(parts[part].length / 2);
    const other = parts[part][middle] === 'A' ? 'B' : 'A';
    parts[part] = parts[part].slice(0, middle) + other + parts[part].slice(middle + 1);
    t.is(await tokens.verify(parts.join('.')), undefined, `part ${part}`);
  }
});

for (const text of ['', 'x', 'a.b', 'a.b.c.d', 'a.b.ü', '..', `${'a'.repeat(9000)}.b.c`]) {
  test(`${JSON.stringify(text.slice(0, 20))} is not a token`, async (t) => {
    const { tokens } = await setUp();
    t.is(await tokens.verify(text), undefined);
  });
}

test('a key of another node is found when a token names it', async (t) => {
  const { tokens, store, time } = await setUp();
  const key = await newKey('next');
  store.keys.unshift(key);
  time.advance(2_000);
  t.truthy(await tokens.verify(await signLike(key, time.clock(), {})));
});

test('tokens with unknown keys cause a query at most every two seconds', async (t) => {
  const { tokens, store, time } = await setUp();
  const key = await newKey('unknown');
  const before = store.lists;
  for (let second = 0; second < 10; second++) {
    for (let call = 0; call < 20; call++) {
      await tokens.verify(await signLike(key, time.clock(), { claims: { jti: `${second} ${call}` } }));
    }
    time.advance(1000);
  }
  t.true(store.lists - before <= 5, `${store.lists - before} reads`);
});

test('a deleted key is no longer trusted once its tokens are verified again', async (t) => {
  const { tokens, store, time } = await setUp();
  const token = await tokens.issue(grant);
  t.truthy(await tokens.verify(token));
  store.keys = [await newKey('next')];
  time.advance(300_000);
  t.is(await tokens.verify(token), undefined);
});

test('tokens are signed with the newest key, and those of the previous key stay valid', async (t) => {
  const { tokens, store, time } = await setUp();
  const before = await tokens.issue(grant);
  store.keys.unshift(await newKey('next'));
  time.advance(2_000);
  const after = await tokens.issue(grant);
  t.is(decodeProtectedHeader(after).kid, 'next');
  t.truthy(await tokens.verify(before));
  t.truthy(await tokens.verify(after));
});

test('nodes that start together sign with keys that all nodes verify', async (t) => {
  const time = createTestClock();
  const store = createMemoryKeyStore();
  const rings = await Promise.all(
    [1, 2, 3, 4].map(() => createKeyRing({ store, elapsedMs: time.elapsedMs })),
  );
  t.is(store.keys.length, 1);
  const nodes = rings.map((keys) => createTokens({ keys, clock: time.clock }));
  const token = await nodes[0].issue(grant);
  for (const node of nodes) t.truthy(await node.verify(token));
});

test('the published keys contain no private parts', async (t) => {
  const { tokens, store } = await setUp();
  const { keys } = await tokens.jwks();
  t.is(keys.length, 1);
  t.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  t.is(keys[0].kid, store.keys[0].keyId);
});

test('concurrent calls with the same new token get the same caller', async (t) => {
  const { tokens } = await setUp();
  const token = await tokens.issue(grant);
  const [first, second] = await Promise.all([tokens.verify(token), tokens.verify(token)]);
  t.truthy(first);
  t.is(first, second);
});
