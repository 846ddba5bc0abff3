/**
 * The HTTP/2 server below grpc-js, which passes no settings on to it and shows nobody its streams. It makes the server by the
 * public function of `node:http2`, which is replaced for the moment of that one call. A version of grpc-js that makes it
 * elsewhere gets Node's defaults.
 */

import http2, { type Http2Server, type ServerHttp2Stream, type ServerOptions } from 'node:http2';
import type { ConnectionInjector, Server, ServerCredentials } from '@grpc/grpc-js';

type StreamListener = Parameters<Http2Server['prependListener']>[1];

/** @param onStream Called with each stream before grpc-js handles it. */
export function createInjector(
  server: Server,
  credentials: ServerCredentials,
  settings: ServerOptions,
  onStream: (stream: ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
): ConnectionInjector {
  const module: { -readonly [Name in 'createServer' | 'createSecureServer']: (typeof http2)[Name] } = http2;
  const { createServer, createSecureServer } = http2;
  const made: Http2Server[] = [];
  const keep = <Made>(one: Made): Made => {
    made.push(one as Http2Server);
    return one;
  };
  module.createServer = ((given: object) => keep(createServer({ ...given, ...settings }))) as never;
  module.createSecureServer = ((given: object) =>
    keep(createSecureServer({ ...given, ...settings }))) as never;
  try {
    return server.createConnectionInjector(credentials);
  } finally {
    Object.assign(module, { createServer, createSecureServer });
    for (const one of made) one.prependListener('stream', onStream as StreamListener);
  }
}
