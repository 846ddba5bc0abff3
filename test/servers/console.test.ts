/** The console's server side: its page, its files, and sessions protected from other sites. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startApp } from '../../src/app.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../support/database.ts';
import { readDeployment, shopDeployment, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let origin: string;

test.before(async () => {
  service = await startTestService({ teardown: () => undefined });
  origin = new URL(service.baseUrl).origin;
});

test.after.always(() => service?.stop());

const signIn = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const credentials = () => ({ client_id: service.admin.clientId, client_secret: service.admin.clientSecret });

test('the page allows only its own files, with a new nonce each time', async (t) => {
  const read = async () => {
    const answer = await fetch(`${origin}/console/shop/metrics?x=1`);
    return { answer, policy: answer.headers.get('content-security-policy') ?? '', text: await answer.text() };
  };
  const [one, other] = [await read(), await read()];
  t.is(one.answer.status, 200);
  t.regex(one.policy, /^default-src 'none'; script-src 'self';/);
  t.regex(one.policy, /frame-ancestors 'none'/);
  const [, nonce] = /nonce-([^']+)/.exec(one.policy)!;
  t.true(one.text.includes(`nonce="${nonce}"`));
  t.false(other.policy.includes(nonce));
  t.true(one.text.includes('{&quot;basePath&quot;:&quot;/api&quot;'));
});

test('files are cached permanently and sent packed; other files do not exist', async (t) => {
  const [, path] = /src="\.(\/console\/assets\/[^"]+\.js)"/.exec(
    await (await fetch(`${origin}/console`)).text(),
  )!;
  const packed = await fetch(origin + path, { headers: { 'accept-encoding': 'br' } });
  t.is(packed.headers.get('content-encoding'), 'br');
  t.regex(packed.headers.get('cache-control') ?? '', /immutable/);
  t.is((await fetch(`${origin}/console/assets/nothing.js`)).status, 404);
  t.is((await fetch(`${origin}/console/assets/..%2f..%2fpackage.json`)).status, 404);
});

test('a session is a token in the answer and in a cookie that scripts and other sites cannot use', async (t) => {
  const opened = await signIn(credentials());
  const cookie = opened.headers.get('set-cookie') ?? '';
  t.regex(cookie, /^[^;]+; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  const name = `console_session_${new URL(origin).port}=`;
  t.true(cookie.startsWith(name), 'services on other ports of the host have other cookies');
  const { access_token: token, scopes } = (await opened.json()) as { access_token: string; scopes: string[] };
  t.deepEqual(scopes, ['admin:*']);
  const again = await fetch(`${origin}/console/session`, { headers: { cookie: cookie.split(';')[0] } });
  t.like(await again.json(), { access_token: token, client_id: service.admin.clientId });
  const call = await fetch(`${service.baseUrl}/configurations`, {
    headers: { cookie: cookie.split(';')[0] },
  });
  t.is(call.status, 401, 'an operation does not look at cookies');
});

test('behind a trusted proxy with TLS the cookie is for TLS only', async (t) => {
  const trusted = await startTestService(
    t,
    `server: { trusted_proxies: [127.0.0.0/8, "::1"] }\n${shopDeployment}`,
  );
  const cookieOf = async ({ baseUrl, admin }: TestService, headers: Record<string, string>) => {
    const body = JSON.stringify({ client_id: admin.clientId, client_secret: admin.clientSecret });
    const url = `${new URL(baseUrl).origin}/console/session`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return answer.headers.get('set-cookie') ?? '';
  };
  for (const headers of [
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-proto': 'https, http' },
    { forwarded: 'for=203.0.113.7;proto=https' },
    { forwarded: 'for=203.0.113.7; proto="HTTPS"' },
  ] as Record<string, string>[]) {
    t.regex(await cookieOf(trusted, headers), /; Secure$/, JSON.stringify(headers));
    t.regex(
      await cookieOf(service, headers),
      /SameSite=Strict$/,
      'the header of an untrusted peer is ignored',
    );
  }
  for (const headers of [
    {},
    { 'x-forwarded-proto': 'http' },
    { forwarded: 'for=203.0.113.7;proto=http' },
    { forwarded: 'for="_proto=https"' },
  ] as Record<string, string>[])
    t.regex(await cookieOf(trusted, headers), /SameSite=Strict$/, JSON.stringify(headers));
});

test('a wrong secret, another site and a broken cookie open no session', async (t) => {
  t.is((await signIn({ ...credentials(), client_secret: 'wrong' })).status, 401);
  t.is((await signIn(credentials(), { 'sec-fetch-site': 'cross-site' })).status, 403);
  t.is((await signIn({ code: 'guess' })).status, 401);
  t.is((await signIn({ access_token: 'nonsense' })).status, 401);
  const name = `console_session_${new URL(origin).port}`;
  const broken = await fetch(`${origin}/console/session`, { headers: { cookie: `${name}=x` } });
  t.deepEqual(await broken.json(), {});
});

async function startOnce(t: Parameters<typeof createTestDatabase>[0] & object, deployment: string) {
  const database = await createTestDatabase();
  const app = await startApp({
    deployment: readDeployment(deployment),
    connection: database.connection,
    dataDir: await mkdtemp(join(tmpdir(), 'personalisation-once-')),
    port: 0,
    grpcPort: 0,
    trainingThreads: 0,
    clock: Date.now,
    logger: createLogger('silent'),
    signsInOnce: true,
  });
  t.teardown(async () => {
    await app.stop();
    await database.close();
  });
  return { app, address: `http://127.0.0.1:${app.port}/console` };
}

test('the printed link signs in once', async (t) => {
  const { app, address } = await startOnce(t, shopDeployment);
  const redeem = () =>
    fetch(`${address}/session`, { method: 'POST', body: JSON.stringify({ code: app.signInCode }) });
  t.like(await (await redeem()).json(), { scopes: ['admin:*'] });
  t.is((await redeem()).status, 401);
});

test('a deployment can have no console', async (t) => {
  const { address } = await startOnce(t, `console: false\n${shopDeployment}`);
  t.is((await fetch(address)).status, 404);
});
