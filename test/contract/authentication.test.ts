/**
 * Authentication over the wire: tokens, forgeries, write keys. Who may call which operation is in
 * admission-table.test.ts, each reason for a refusal in security/authenticate.test.ts.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import test, { type ExecutionContext } from 'ava';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { forAllTests } from '../support/for-all-tests.ts';
import { requestToken, shopDeployment, startTestService } from '../support/service.ts';
import { createClients } from './support/clients.ts';
import type { Problem } from './support/http.ts';
import type { Operation } from './support/operation.ts';
import { createTransports, isAnsweredEverywhere } from './support/same-answer.ts';
import {
  createEvents,
  createRecommendations,
  createSearch,
  getItem,
  listConfigurations,
} from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const clients = forAllTests('the clients', () => createClients(service));

const unauthenticated = { status: 401, reason: 'unauthenticated' };

async function reasonOf(operation: Operation, token: string | null): Promise<string> {
  const { outcome } = await service.transports.http(operation, token);
  return outcome.ok ? 'ok' : outcome.reason;
}

const grant = () => ({
  grant_type: 'client_credentials',
  client_id: service.admin.clientId,
  client_secret: service.admin.clientSecret,
});
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const form = 'application/x-www-form-urlencoded';

type TokenRequest = { body: Record<string, string>; type: string; header?: string };

/** @param asked A function if the request names the admin, who is known only after the start. */
function askForToken(asked: TokenRequest | (() => TokenRequest)): Promise<Response> {
  const { body, type, header } = typeof asked === 'function' ? asked() : asked;
  const headers: Record<string, string> = { 'content-type': type };
  if (header !== undefined) headers.authorization = header;
  const text = type === form ? new URLSearchParams(body).toString() : JSON.stringify(body);
  return fetch(`${service.baseUrl}/oauth/token`, { method: 'POST', headers, body: text });
}

const type = { grant_type: 'client_credentials' };
const adminHeader = () => basic(service.admin.clientId, service.admin.clientSecret);

const tokenRequests: Record<string, () => TokenRequest> = {
  'a form': () => ({ type: form, body: grant() }),
  JSON: () => ({ type: 'application/json', body: grant() }),
  'a Basic header and a form': () => ({ type: form, body: type, header: adminHeader() }),
  'a Basic header and JSON': () => ({ type: 'application/json', body: type, header: adminHeader() }),
  'a Basic header and the same id': () => ({
    type: form,
    body: { ...type, client_id: service.admin.clientId },
    header: adminHeader(),
  }),
};

for (const [title, tokenRequest] of Object.entries(tokenRequests)) {
  test(`a token is issued for ${title}`, async (t) => {
    const response = await askForToken(tokenRequest);
    t.is(response.status, 200);
    t.is(response.headers.get('cache-control'), 'no-store');
    const { access_token: token, ...rest } = (await response.json()) as Record<string, unknown>;
    t.deepEqual(rest, { token_type: 'Bearer', expires_in: 86_400, scope: 'admin:*' });
    t.is(await reasonOf(listConfigurations, `Bearer ${token}`), 'ok');
  });
}

const refusedTokens: [
  title: string,
  request: TokenRequest | (() => TokenRequest),
  status: number,
  reason: string,
  pointer?: string,
][] = [
  ['no grant type', { type: form, body: { client_id: 'c' } }, 400, 'body_invalid', '/grant_type'],
  [
    'another grant type',
    () => ({ type: form, body: { ...grant(), grant_type: 'password' } }),
    400,
    'body_invalid',
    '/grant_type',
  ],
  ['no client id', { type: form, body: type }, 400, 'body_invalid', '/client_id'],
  ['no secret', { type: form, body: { ...type, client_id: 'c' } }, 400, 'body_invalid', '/client_secret'],
  ['a wrong secret', () => ({ type: form, body: { ...grant(), client_secret: 'x' } }), 401, 'client_invalid'],
  ['an unknown client', () => ({ type: form, body: { ...grant(), client_id: 'x' } }), 401, 'client_invalid'],
  ['a wrong Basic header', { type: form, body: type, header: basic('x', 'y') }, 401, 'client_invalid'],
  ['a malformed Basic header', { type: form, body: type, header: 'Basic ???' }, 401, 'client_invalid'],
  [
    'two secrets',
    () => ({ type: form, body: grant(), header: adminHeader() }),
    400,
    'body_invalid',
    '/client_secret',
  ],
  [
    'two client ids',
    () => ({ type: form, body: { ...type, client_id: 'other' }, header: adminHeader() }),
    400,
    'body_invalid',
    '/client_id',
  ],
  [
    'an unknown scope',
    () => ({ type: form, body: { ...grant(), scope: 'everything' } }),
    400,
    'body_invalid',
    '/scope',
  ],
];

for (const [title, tokenRequest, status, reason, pointer] of refusedTokens) {
  test(`no token is issued for ${title}`, async (t) => {
    const response = await askForToken(tokenRequest);
    t.is(response.status, status);
    const problem = (await response.json()) as Problem;
    t.is(problem.type, `/api/docs/errors/${reason.toUpperCase()}`);
    t.is(problem.errors?.[0].pointer, pointer);
    t.is(response.headers.get('www-authenticate'), status === 401 ? 'Basic' : null);
  });
}

test('a token may be requested with fewer scopes', async (t) => {
  const { clientId, clientSecret } = await clients.create('items:*', 'events:shop');
  const ask = (scope: string) =>
    askForToken({ type: form, body: { ...type, client_id: clientId, client_secret: clientSecret, scope } });
  const { access_token: token, scope } = (await (await ask('items:shop')).json()) as Record<string, string>;
  t.is(scope, 'items:shop');
  t.is(await reasonOf(getItem({ itemId: 'x' }), `Bearer ${token}`), 'ITEM_UNKNOWN');
  t.is(
    await reasonOf(getItem({ environment: 'news', itemType: 'article', itemId: 'x' }), `Bearer ${token}`),
    'SCOPE_MISSING',
  );
  t.is((await ask('events:news')).status, 400);
});

test('the key document verifies tokens and holds no private key', async (t) => {
  const token = await requestToken(service.baseUrl, service.admin);
  for (const address of [
    `${service.baseUrl}/.well-known/jwks.json`,
    `${service.origin}/.well-known/jwks.json`,
  ]) {
    const keys = (await (await fetch(address)).json()) as { keys: JWK[] };
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys));
    t.is(payload.exp! - payload.iat!, 86_400);
    t.true(keys.keys.every(({ d }) => d === undefined));
  }
});

type SigningKey = { private_jwk: JWK };

/**
 * A token of the admin with other claims or another type, signed with the service's or another key.
 */
async function forge(
  t: ExecutionContext,
  { isOwnKey = true, typ, ...claims }: { isOwnKey?: boolean; typ?: string } & JWTPayload,
): Promise<string> {
  const { rows } = await service.database.pool.query<SigningKey>('select private_jwk from signing_keys');
  t.is(rows.length, 1);
  const token = service.authorization.slice('Bearer '.length);
  const header = decodeProtectedHeader(token) as JWTHeaderParameters;
  const key = isOwnKey
    ? await importJWK(rows[0].private_jwk, header.alg)
    : (await generateKeyPair(header.alg)).privateKey;
  const payload = new SignJWT({ ...decodeJwt(token), ...claims });
  return `Bearer ${await payload.setProtectedHeader({ ...header, ...(typ && { typ }) }).sign(key)}`;
}

test('a token made by the test is accepted', async (t) => {
  t.is(await reasonOf(listConfigurations, await forge(t, {})), 'ok');
});

const forgeries: Record<string, (t: ExecutionContext) => Promise<string>> = {
  'an expired token': (t) => forge(t, { exp: Math.floor(Date.now() / 1000) - 3600 }),
  'a token without end': (t) => forge(t, { exp: undefined }),
  'a token of another issuer': (t) => forge(t, { iss: 'https://elsewhere.example' }),
  'a token signed with another key': (t) => forge(t, { isOwnKey: false }),
  'a token of another audience': (t) => forge(t, { aud: 'elsewhere' }),
  'another kind of token': (t) => forge(t, { typ: 'JWT' }),
  'an unsigned token': async () => {
    const [, claims] = service.authorization.split('.');
    return `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
  },
  'a token that was changed': async () => service.authorization.replace(/\.(.)/, '.X$1'),
  nonsense: async () => 'Bearer nonsense',
  'an empty token': async () => 'Bearer',
  'another scheme': async () => adminHeader(),
  'a token that is too long': async () => `Bearer ${'x'.repeat(9000)}`,
};

for (const [title, make] of Object.entries(forgeries)) {
  test(`${title} is 401, on public operations too`, async (t) => {
    const token = await make(t);
    for (const operation of [getItem({ itemId: 'x' }), createSearch({})]) {
      await isAnsweredEverywhere(t, service.transports, operation, unauthenticated, { authorization: token });
    }
  });
}

test('a refusal names the authentication scheme', async (t) => {
  const response = await fetch(`${service.baseUrl}/configurations`);
  t.is(response.status, 401);
  t.is(response.headers.get('www-authenticate'), 'Bearer');
});

test('public operations and the lifetime of tokens are settings', async (t) => {
  const settings = 'authentication: { public_operations: [searches], token_lifetime_seconds: 90 }';
  const closed = await startTestService(t, `${settings}\n${shopDeployment}`);
  const { http: call } = createTransports(t, closed);
  const reason = async (operation: Operation) => {
    const { outcome } = await call(operation, null);
    return outcome.ok ? 'ok' : outcome.reason;
  };
  t.is(await reason(createRecommendations({})), 'UNAUTHENTICATED');
  t.not(await reason(createSearch({})), 'UNAUTHENTICATED');
  const { exp, iat } = decodeJwt(closed.authorization.slice('Bearer '.length));
  t.is(exp! - iat!, 90);
});

test('a disabled client gets no token, and its tokens are invalid', async (t) => {
  const client = await clients.create('items:*');
  await clients.disable(client.clientId);
  await isAnsweredEverywhere(t, service.transports, getItem({ itemId: 'x' }), unauthenticated, client);
  const body = { ...type, client_id: client.clientId, client_secret: client.clientSecret };
  t.is((await askForToken({ type: form, body })).status, 401);
});

const origin = 'https://shop.example';
const view = { event_type: 'page_visit', device_id: 'd', page_type: 'home' };

type KeyUse = { header?: string; query?: string; from?: string };

async function useKey({ header, query, from }: KeyUse): Promise<string> {
  const operation = createEvents([view]);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (header !== undefined) headers.authorization = `Bearer ${header}`;
  if (from !== undefined) headers.origin = from;
  const path = query === undefined ? operation.path : `${operation.path}?write_key=${query}`;
  const body = operation.body === undefined ? undefined : JSON.stringify(operation.body);
  const response = await fetch(service.baseUrl + path, { method: operation.method, headers, body });
  const { type: reason = 'ok' } = (await response.json()) as Partial<Problem>;
  return `${response.status} ${reason.split('/').at(-1)?.toLowerCase()}`;
}

test('a write key sends events from the pages of its origins', async (t) => {
  const key = await clients.createWriteKey({
    scopes: ['events:shop'],
    origins: [origin, 'https://m.shop.example'],
  });
  t.is(await useKey({ header: key, from: origin }), '200 ok');
  t.is(await useKey({ query: key, from: origin }), '200 ok');
  t.is(await useKey({ query: key, from: 'https://m.shop.example' }), '200 ok');
  for (const from of [
    undefined,
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:444',
    'null',
  ]) {
    t.is(await useKey({ header: key, from }), '403 origin_not_allowed', `from ${from}`);
    t.is(await useKey({ query: key, from }), '403 origin_not_allowed', `from ${from}`);
  }
});

test('a write key is no client of the token endpoint', async (t) => {
  const key = await clients.createWriteKey({ scopes: ['events:shop'], origins: [origin] });
  const body = { ...type, client_id: key, client_secret: key };
  t.is((await askForToken({ type: form, body })).status, 401);
});

const badKeys: Record<string, { scopes: string[]; origins: string[] }> = {
  'another scope': { scopes: ['items:shop'], origins: [origin] },
  'all environments': { scopes: ['events:*'], origins: [origin] },
  'no origin': { scopes: ['events:shop'], origins: [] },
  'a path for an origin': { scopes: ['events:shop'], origins: [`${origin}/page`] },
  'any origin': { scopes: ['events:shop'], origins: ['*'] },
};

for (const [fault, key] of Object.entries(badKeys)) {
  test(`a write key with ${fault} is not created`, async (t) => {
    const error = await t.throwsAsync<ConnectError>(clients.createWriteKey(key), {
      instanceOf: ConnectError,
    });
    t.is(error.code, Code.InvalidArgument);
  });
}

test('only administrators create clients', async (t) => {
  const { authorization: token } = await clients.create('items:*', 'configurations:*', 'admin:shop');
  const making = createClients({ ...service, authorization: token }).create('admin:*');
  t.is((await t.throwsAsync<ConnectError>(making)).code, Code.PermissionDenied);
});

test('the first start writes the admin credentials to a file readable by its owner only', async (t) => {
  const { mode } = await stat(join(service.dataDir, 'admin-credentials.json'));
  t.is(mode & 0o777, 0o600);
  t.is(await reasonOf(listConfigurations, service.authorization), 'ok');
});
