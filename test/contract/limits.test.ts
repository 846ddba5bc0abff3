/** Limits set by the operator on every transport, and callers behind a proxy. */

import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import test from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { shopDeployment } from '../support/service.ts';
import { testedService } from './support/tested-service.ts';

const page = 'https://shop.example';

/** A burst that does not grow while a test runs: one call in a thousand seconds. */
const service = testedService(`
server: { trusted_proxies: ["127.0.0.0/8", "::1"], cors_origins: ["${page}"] }
rate_limits:
  - { operations: [RecommendationService/GetRecommendationList], per_second: 0.001, burst: 3 }
${shopDeployment}`);

type Answer = { outcome: string; limit: string | null; remaining: string | null; isToldWhen: boolean };

const pageOf = { environment: 'shop', listKey: 'x', offset: 1, limit: 1 };

async function askRpc(transport: Transport, headers: Record<string, string>): Promise<Answer> {
  const client = createClient(RecommendationService, transport);
  const error = ConnectError.from(await client.getRecommendationList(pageOf, { headers }).catch((e) => e));
  const { metadata, message } = error;
  return {
    outcome: Code[error.code],
    limit: metadata.get('ratelimit-limit'),
    remaining: metadata.get('ratelimit-remaining'),
    isToldWhen: /try again in \d+ s/.test(message),
  };
}

async function askHttp(headers: Record<string, string>): Promise<Answer> {
  const path = '/shop/recommendations/lists?list_key=x&offset=1&limit=1';
  const { status, headers: answered } = await fetch(service.baseUrl + path, { headers });
  return {
    outcome: status === 404 ? 'NotFound' : status === 429 ? 'ResourceExhausted' : String(status),
    limit: answered.get('ratelimit-limit'),
    remaining: answered.get('ratelimit-remaining'),
    isToldWhen: Number(answered.get('retry-after')) > 0,
  };
}

const transports: Record<string, (headers: Record<string, string>) => Promise<Answer>> = {
  HTTP: askHttp,
  Connect: (headers) =>
    askRpc(createConnectTransport({ baseUrl: service.origin, httpVersion: '1.1' }), headers),
  'gRPC-Web': (headers) =>
    askRpc(createGrpcWebTransport({ baseUrl: service.origin, httpVersion: '1.1' }), headers),
  gRPC: (headers) => askRpc(createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` }), headers),
};

for (const [index, [name, ask]] of Object.entries(transports).entries()) {
  test(`a caller behind a proxy has its own limit over ${name}, and sees the remaining calls`, async (t) => {
    const caller = { 'x-forwarded-for': `198.51.100.${index}` };
    for (const remaining of ['2', '1', '0'])
      t.deepEqual(await ask(caller), { outcome: 'NotFound', limit: '3', remaining, isToldWhen: false });
    const refused = { outcome: 'ResourceExhausted', limit: '3', remaining: '0', isToldWhen: true };
    t.deepEqual(await ask(caller), refused);
    t.deepEqual(await ask({ forwarded: `for=198.51.100.${index}` }), refused);
    t.is((await ask({ 'x-forwarded-for': `203.0.113.${index}` })).outcome, 'NotFound');
  });
}

test('a web page may call Connect: the browser’s preflight is allowed, and the page reads the answer', async (t) => {
  const url = `${service.origin}/personalisation.v1.RecommendationService/GetRecommendationList`;
  const preflight = (from: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers':
          'authorization,connect-protocol-version,connect-timeout-ms,content-type',
      },
    });
  const { status, headers } = await preflight(page);
  t.is(status, 204);
  t.is(headers.get('access-control-allow-origin'), page);
  t.is(headers.get('access-control-allow-methods'), 'POST');
  const allowed = headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
  for (const name of [
    'authorization',
    'connect-protocol-version',
    'connect-timeout-ms',
    'x-grpc-web',
    'content-type',
  ])
    t.true(allowed.includes(name), name);
  t.is((await preflight('https://elsewhere.example')).headers.get('access-control-allow-origin'), null);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { origin: page, 'content-type': 'application/json' },
    body: JSON.stringify(pageOf),
  });
  t.is(answer.headers.get('access-control-allow-origin'), page);
  t.regex(answer.headers.get('access-control-expose-headers')!, /grpc-status.*/i);
});
