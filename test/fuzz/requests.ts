/** Valid and invalid requests to every operation over every transport. */

import { gzipSync } from 'node:zlib';
import type { DescMethod } from '@bufbuild/protobuf';
import { type Route, routes } from '../../gen/rest/routes.ts';
import { services } from '../../gen/rest/services.ts';
import { makeMessage } from './binary-messages.ts';
import type { Chance } from './chance.ts';
import { createJsonMaker, type Schema } from './json-values.ts';
import type { Wire } from './send.ts';
import { strangeTexts, textOf } from './vocabulary.ts';

export const transportNames = ['http', 'connect', 'grpc', 'grpc-web'] as const;
export type TransportName = (typeof transportNames)[number];

export type FuzzRequest = { transport: TransportName; operation: string; wire: Wire };

type Parameter = { name: string; in: string; schema: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

export type RequestMaker = () => FuzzRequest;

/** Shares of deviations: most requests are nearly valid, because early refusals test little. */
const strangenesses = [0, 0, 0.05, 0.05, 0.3];
const brokenShare = 0.15;

/** Slow operations are rare: they read all events, train, or wait for other nodes. */
const seldom =
  /Export|Import|GetDiagnosis|TrainModels|Simulate|CreateClient|CreateToken|DeleteUser|DeleteDevice/;
const seldomShare = 0.02;

const methods = services.flatMap((service) => service.methods);

export function createRequestMaker(
  chance: Chance,
  { document, authorization }: { document: Document; authorization: string },
): RequestMaker {
  const common = methods.filter(({ name }) => !seldom.test(name));
  const rare = methods.filter(({ name }) => seldom.test(name));
  const routeOf = new Map(routes.map((route) => [route.operation, route]));
  const headers = (): Record<string, string> => {
    if (chance.happens(0.9)) return { authorization };
    const broken = chance.pick(['Bearer x.y.z', 'Basic YTpi', authorization.slice(0, -3), 'Bearer ']);
    return chance.happens(0.5) ? {} : { authorization: broken };
  };
  return () => {
    const method = chance.pick(chance.happens(seldomShare) ? rare : common);
    const operation = `${method.parent.typeName}/${method.name}`;
    const route = routeOf.get(operation);
    const strangeness = chance.pick(strangenesses);
    const transport = chance.pick(transportsOf(method, route));
    const wire =
      transport === 'http'
        ? httpRequest({ chance, document, route: route!, strangeness, headers: headers() })
        : rpcRequest({ chance, method, transport, strangeness, headers: headers() });
    return { transport, operation, wire: chance.happens(brokenShare) ? broken(chance, wire) : wire };
  };
}

/** A stream both ways needs HTTP/2. */
function transportsOf({ methodKind }: DescMethod, route: Route | undefined): TransportName[] {
  if (methodKind === 'bidi_streaming') return ['grpc'];
  return transportNames.filter((name) => name !== 'http' || route !== undefined);
}

type HttpParts = {
  chance: Chance;
  document: Document;
  route: Route;
  strangeness: number;
  headers: Record<string, string>;
};

function httpRequest({ chance, document, route, strangeness, headers }: HttpParts): Wire {
  const make = createJsonMaker(chance, document.components.schemas, strangeness);
  const { parameters = [], requestBody } = document.paths[route.path][route.httpMethod.toLowerCase()];
  const query = new URLSearchParams();
  for (const { name, schema, ...parameter } of parameters) {
    if (parameter.in !== 'query' || chance.happens(0.4)) continue;
    const value = make(schema, name);
    query.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const path = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => encode(textOf(chance, name, strangeness)) || 'x',
  );
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = content ? Buffer.from(JSON.stringify(make(content.schema, 'body'))) : Buffer.alloc(0);
  return {
    protocol: 'http1',
    method: route.httpMethod,
    path: `/api${path}${query.size > 0 ? `?${query}` : ''}`.slice(0, 8_000),
    headers: type ? { ...headers, 'content-type': type } : headers,
    body,
  };
}

/** A lone surrogate has no encoding. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

type RpcParts = {
  chance: Chance;
  method: DescMethod;
  transport: Exclude<TransportName, 'http'>;
  strangeness: number;
  headers: Record<string, string>;
};

function rpcRequest({ chance, method, transport, strangeness, headers }: RpcParts): Wire {
  const message = makeMessage(chance, method.input, strangeness);
  const isStream = method.methodKind !== 'unary';
  const types = {
    grpc: 'application/grpc',
    'grpc-web': 'application/grpc-web+proto',
    connect: isStream ? 'application/connect+proto' : 'application/proto',
  };
  return {
    protocol: transport === 'grpc' ? 'http2' : 'http1',
    method: 'POST',
    path: `/${method.parent.typeName}/${method.name}`,
    headers: { ...headers, 'content-type': types[transport], 'connect-protocol-version': '1' },
    body: transport === 'connect' && !isStream ? message : framed(message),
  };
}

function framed(message: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Broken as a whole: bytes, headers, path or method. */
function broken(chance: Chance, wire: Wire): Wire {
  const { body } = wire;
  const changed = Buffer.from(body);
  for (let i = 0; i < 3 && changed.length > 0; i++) changed[chance.below(changed.length)] = chance.below(256);
  return chance.pick<() => Wire>([
    () => ({ ...wire, body: body.subarray(0, chance.below(body.length + 1)) }),
    () => ({ ...wire, body: changed }),
    () => ({ ...wire, body: Buffer.concat([body, changed]) }),
    () => ({ ...wire, body: gzipSync(body), headers: { ...wire.headers, 'content-encoding': 'gzip' } }),
    () => ({
      ...wire,
      headers: { ...wire.headers, 'content-encoding': chance.pick(['gzip', 'br', 'strange']) },
    }),
    () => ({
      ...wire,
      headers: { ...wire.headers, 'content-type': chance.pick(['text/csv', 'application/json', '']) },
    }),
    () => ({ ...wire, headers: { ...wire.headers, 'accept-encoding': 'gzip, br' } }),
    () => ({ ...wire, headers: { ...wire.headers, 'grpc-timeout': '1m', 'connect-timeout-ms': '1' } }),
    () => ({ ...wire, path: `${wire.path}/${encode(chance.pick(strangeTexts)).slice(0, 300)}` }),
    () => ({ ...wire, path: wire.path.replace('/', '//').slice(0, -1) || '/' }),
    () =>
      wire.protocol === 'http1'
        ? { ...wire, method: chance.pick(['PUT', 'DELETE', 'PATCH', 'GET', 'HEAD']) }
        : wire,
  ])();
}
