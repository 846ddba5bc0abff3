import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createExternalTokens } from '../../../src/security/jwt/external-issuer.ts';
import { createTestClock } from '../support/clock.ts';
import { outcomeOf } from '../support/reasons.ts';

const issuer = 'https://id.example';

/** An identity provider: a key and the address that publishes it. */
async function startIssuer(t: ExecutionContext, algorithm = 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const body = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: algorithm }] });
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.setHeader('content-type', 'application/json').end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  const sign = (claims: JWTPayload, kid = 'k1') =>
    new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid }).sign(privateKey);
  return { jwksUri, sign, requests: () => requests };
}

const time = createTestClock();
const inAMinute = Math.floor(time.clock() / 1000) + 60;
const valid = { iss: issuer, aud: 'recommendations', sub: 'me', scope: 'openid items:*', exp: inAMinute };

const rows: [why: string, claims: JWTPayload, caller: { clientId: string; scopes: string[] } | undefined][] =
  [
    ['the claim scope', valid, { clientId: 'me', scopes: ['items:*'] }],
    [
      'the claim scp as a list',
      { ...valid, scope: undefined, scp: ['events:a', 7] },
      { clientId: 'me', scopes: ['events:a'] },
    ],
    [
      'the claim scp as a string',
      { ...valid, scope: undefined, scp: 'events:a' },
      { clientId: 'me', scopes: ['events:a'] },
    ],
    ['no scopes', { ...valid, scope: undefined }, { clientId: 'me', scopes: [] }],
    [
      'a client_id beside the subject',
      { ...valid, client_id: 'app' },
      { clientId: 'app', scopes: ['items:*'] },
    ],
    ['an azp beside the subject', { ...valid, azp: 'app' }, { clientId: 'app', scopes: ['items:*'] }],
    ['nobody', { ...valid, sub: undefined }, undefined],
    ['another issuer', { ...valid, iss: 'https://evil.example' }, undefined],
    ['another audience', { ...valid, aud: 'other' }, undefined],
    ['an expiry in the past', { ...valid, exp: inAMinute - 120 }, undefined],
    ['no expiry', { ...valid, exp: undefined }, undefined],
  ];

for (const [why, claims, caller] of rows) {
  test(`an external token with ${why} ${caller ? `is ${caller.clientId}` : 'is refused'}`, async (t) => {
    const { jwksUri, sign } = await startIssuer(t);
    const tokens = createExternalTokens({
      name: issuer,
      jwksUri,
      audience: 'recommendations',
      clock: time.clock,
    });
    const expected = caller && { kind: 'confidential', ...caller };
    t.deepEqual(await tokens.verify(await sign(claims)), expected as never);
  });
}

test('any audience is accepted if the deployment names none', async (t) => {
  const { jwksUri, sign } = await startIssuer(t);
  const tokens = createExternalTokens({ name: issuer, jwksUri, clock: time.clock });
  t.truthy(await tokens.verify(await sign({ ...valid, aud: 'whatever' })));
});

test('the keys are fetched once for many tokens, and a token with an unknown key is refused', async (t) => {
  const { jwksUri, sign, requests } = await startIssuer(t, 'ES256');
  const tokens = createExternalTokens({ name: issuer, jwksUri, clock: time.clock });
  for (const jti of ['1', '2', '3']) t.truthy(await tokens.verify(await sign({ ...valid, jti })));
  for (const jti of ['4', '5', '6'])
    t.is(await tokens.verify(await sign({ ...valid, jti }, 'k2')), undefined);
  t.is(requests(), 1);
});

test('with an unreachable issuer the service is unavailable, and the token not invalid', async (t) => {
  const { sign } = await startIssuer(t);
  const tokens = createExternalTokens({ name: issuer, jwksUri: 'http://127.0.0.1:1/', clock: time.clock });
  const token = await sign(valid);
  t.is(await outcomeOf(() => tokens.verify(token)), 'UNAVAILABLE');
});

test('a token signed with a shared secret is refused', async (t) => {
  const { jwksUri } = await startIssuer(t);
  const tokens = createExternalTokens({ name: issuer, jwksUri, clock: time.clock });
  const secret = new Uint8Array(32);
  const token = await new SignJWT(valid).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret);
  t.is(await tokens.verify(token), undefined);
});

test('a deployment with another issuer publishes no keys and has no clients', async (t) => {
  const tokens = createExternalTokens({ name: issuer, jwksUri: 'http://127.0.0.1:1/', clock: time.clock });
  t.deepEqual(await tokens.jwks(), { keys: [] });
  t.false(tokens.hasOurClients);
});
