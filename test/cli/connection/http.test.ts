/** The JSON interface as commands call it. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { ServiceFailure } from '../../../src/cli/connection/failure.ts';
import { openHttp } from '../../../src/cli/connection/http.ts';
import { makeCertificate } from '../../support/certificate.ts';

/** A service that echoes requests, and refuses those to `full`. */
async function start(t: ExecutionContext, tokenSeconds = 3_600) {
  const { certificate, key } = makeCertificate();
  let tokens = 0;
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const { method, url, headers } = request;
    const said = await text(request);
    if (url === '/api/oauth/token')
      return response.end(JSON.stringify({ access_token: `t${++tokens}`, expires_in: tokenSeconds }));
    if (url === '/api/gone') return response.writeHead(204).end();
    if (url === '/api/full') response.writeHead(429, { 'retry-after': '3' });
    else response.setHeader('etag', '"7"');
    const answer = { type: '/docs/errors/RATE_LIMITED', method, said, authorization: headers.authorization };
    return response.end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, () => done()));
  const folder = await mkdtemp(join(tmpdir(), 'http-'));
  t.teardown(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, certificate);
  const url = `https://localhost:${(server.address() as AddressInfo).port}/api/`;
  return { url, ca, clientId: 'c', clientSecret: 's' };
}

test('requests reach a service with the certificate of `--ca`', async (t) => {
  const options = await start(t);
  const http = await openHttp(options);
  const { json, etag } = await http.exchange('PUT', '/x', { body: { title: 'é' } });
  t.like(json, { method: 'PUT', said: '{"title":"é"}', authorization: 'Bearer t1' });
  t.is(etag, '"7"');
  t.is(await http.request('DELETE', '/gone'), undefined);
  const failure = (await t.throwsAsync(http.request('POST', '/full', {}))) as ServiceFailure;
  t.like(failure, { reason: 'RATE_LIMITED', retryAfterMs: 3_000 });
  t.regex(failure.message, /\/api\/full answered 429 Too Many Requests/);
  await t.throwsAsync(openHttp({ ...options, ca: undefined }), { message: /self-signed certificate/ });
});

test('an expired token is renewed', async (t) => {
  const authorizations = async (tokenSeconds: number) => {
    const http = await openHttp(await start(t, tokenSeconds));
    const answers = [await http.request('GET', '/x'), await http.request('GET', '/x')];
    return answers.map((answer) => (answer as { authorization: string }).authorization);
  };
  t.deepEqual(await authorizations(3_600), ['Bearer t1', 'Bearer t1']);
  const [first, second] = await authorizations(0);
  t.not(first, second);
});

test('redirects are followed, and an unreachable address is named', async (t) => {
  const server = createPlainServer(async (request, response) => {
    if (request.url?.startsWith('/old/'))
      return response.writeHead(307, { location: request.url.replace('/old/', '/api/') }).end();
    return response.end(JSON.stringify({ method: request.method, said: await text(request) }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  t.teardown(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/old`;
  const http = await openHttp({ url, token: 't' });
  t.deepEqual(await http.request('PUT', '/x', { title: 'é' }), { method: 'PUT', said: '{"title":"é"}' });
  const nowhere = await openHttp({ url: 'http://localhost:1/api', token: 't' });
  const message = /^http:\/\/localhost:1\/api\/x cannot be reached: connect ECONNREFUSED .*:1\.$/;
  await t.throwsAsync(nowhere.request('GET', '/x'), { message });
});
