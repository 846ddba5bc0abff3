/**
 * The HTTP/2 server below grpc-js, which neither passes `streamResetBurst` on to it nor shows its streams. grpc-js creates
 * the server by the public functions of `node:http2`; these are replaced during that one call. If a future version creates
 * the server elsewhere, Node's defaults apply.
 */

import http2, {
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { ConnectionInjector, Server, ServerCredentials } from '@grpc/grpc-js';

type StreamListener = Parameters<Http2Server['prependListener']>[1];

/** @param onStream Called with each stream before grpc-js handles it. */
export function createInjector(
  server: Server,
  credentials: ServerCredentials,
  settings: ServerOptions,
  onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): ConnectionInjector {
  const module: { -readonly [Name in 'createServer' | 'createSecureServer']: (typeof http2)[Name] } = http2;
  const { createServer, createSecureServer } = http2;
  const created: Http2Server[] = [];
  const track = <Created>(one: Created): Created => {
    created.push(one as Http2Server);
    return one;
  };
  module.createServer = ((given: object) => track(createServer({ ...given, ...settings }))) as never;
  module.createSecureServer = ((given: object) =>
    track(createSecureServer({ ...given, ...settings }))) as never;
  try {
    return server.createConnectionInjector(credentials);
  } finally {
    Object.assign(module, { createServer, createSecureServer });
    for (const one of created) one.prependListener('stream', onStream as StreamListener);
  }
}

/** The longest timer of Node, 24 days. */
const longestTimerMs = 2 ** 31 - 1;
const msOfUnit: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1 };

/** Removes a deadline beyond Node's longest timer, which grpc-js would count as passed: it keeps 32 bits of milliseconds. */
export function dropLongDeadline(headers: IncomingHttpHeaders): void {
  const [, count, unit] = /^(\d{1,8})([HMSm])$/.exec(String(headers['grpc-timeout'])) ?? [];
  if (count !== undefined && Number(count) * msOfUnit[unit] > longestTimerMs) delete headers['grpc-timeout'];
}
