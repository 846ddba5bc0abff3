/** The protocol at /mcp: revisions, conformance, admission, and bounds. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { createJsonClient } from '../../support/json-client.ts';
import { startTestService } from '../../support/service.ts';
import { createClients } from '../support/clients.ts';
import { testedService } from '../support/tested-service.ts';
import { openAgent } from './agent.ts';

const shopping = `
agents: { shopping: { environment: shop, url: "https://shop.example", configuration_id: home } }
server: { cors_origins: ["https://app.example"] }
rate_limits: [{ operations: [recommendations], per_second: 0.001, burst: 2 }]
environments:
  - name: shop
    currency: EUR
    item_types: [{ name: product, properties: [{ name: price, type: number, returnable: true }] }]
`;
const service = testedService(shopping);

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const accept = { accept: 'application/json, text/event-stream' };

/** Returns the status of a message. A body that is no text is sent as JSON. */
const post = async (body: unknown, headers: Record<string, string> = {}, origin = service.origin) => {
  const sent = request(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...accept, ...headers },
  });
  sent.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode as number;
};

const run = promisify(execFile);
const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const conformance = join(dirname(packageFile), 'dist/index.js');

/** Other scenarios test features that the service does not declare, with tools of their own names. */
for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])
  test(`conforms to ${scenario}`, async (t) => {
    const words = ['server', '--url', `${service.origin}/mcp`, '--scenario', scenario];
    const { stdout } = await run(process.execPath, [conformance, ...words]);
    t.regex(stdout, /Passed: ([1-9]\d*)\/\1/);
  });

for (const era of ['auto', 'legacy'] as const)
  for (const path of ['/mcp', '/api/mcp'])
    test(`a client of the ${era} revision calls tools at ${path}`, async (t) => {
      const { authorization, origin } = service;
      const agent = await openAgent(t, { url: origin + path, authorization, era });
      t.is(agent.client.getProtocolEra(), era === 'auto' ? 'modern' : 'legacy');
      t.true((await agent.toolNames()).includes('search'));
      t.like(await agent.call('list_environments', {}), { json: { environments: [{ name: 'shop' }] } });
    });

test('pages of other sites, and names of other sites for this machine, are refused', async (t) => {
  const { port } = new URL(service.origin);
  const statuses: [Record<string, string>, number][] = [
    [{}, 200],
    [{ origin: 'https://app.example' }, 200],
    [{ origin: 'http://localhost:6274' }, 200],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ host: `evil.example:${port}` }, 403],
    [{ host: 'shop.example' }, 200],
  ];
  for (const [headers, status] of statuses) t.is(await post(ping, headers), status, JSON.stringify(headers));
});

test('an invalid token is refused, and any call without one where nothing is public', async (t) => {
  t.is(await post(ping, { authorization: 'Bearer forged' }), 401);
  const closed = await startTestService(t);
  const { origin } = new URL(closed.baseUrl);
  t.is(await post(ping, {}, origin), 401);
  t.is(await post(ping, { authorization: closed.authorization }, origin), 200);
  t.is((await fetch(`${origin}/.well-known/ucp`)).status, 404);
});

test('a write key is no token of an operator', async (t) => {
  const key = await createClients(service).createWriteKey({
    scopes: ['events:shop'],
    origins: ['https://app.example'],
  });
  t.is(await post(ping, { authorization: `Bearer ${key}` }), 403);
});

test('batches, other methods and large bodies are refused', async (t) => {
  t.is(await post([ping, ping]), 400);
  t.is(await post('{'), 400);
  const large = { ...ping, params: { text: 'x'.repeat(70_000) } };
  t.is(await post(large), 413);
  t.is(await post(large, { authorization: service.authorization }), 200);
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(`${service.origin}/mcp`, { method, headers: accept });
    t.is(answer.status, 405, method);
  }
});

test('rate limits of operations hold for tools', async (t) => {
  await createJsonClient(service).put('/configurations/home', {});
  const { origin } = service;
  const agent = await openAgent(t, { url: `${origin}/mcp` });
  const recommend = () => agent.call('get_recommendations', { catalog: {} });
  await recommend();
  await recommend();
  await t.throwsAsync(recommend(), { message: /Too many calls/ });
});

test('the deployment can turn the tools off', async (t) => {
  const off = await startTestService(t, shopping.replace(/^agents: .*$/m, 'agents: { enabled: false }'));
  const { origin } = new URL(off.baseUrl);
  t.is(await post(ping, { authorization: off.authorization }, origin), 404);
});
