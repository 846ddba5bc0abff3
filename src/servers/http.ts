/** The HTTP port: health, keys, the interface's description, Connect, and the gateway for everything else. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate, CertificateSource } from './certificate.ts';
import type { ConnectHandler } from './connect/connect.ts';
import { type ConnectionBounds, limitConnections, openSocketsOf } from './connections.ts';
import type { ConsoleHandler } from './console/console.ts';
import type { StaticDocuments } from './documents/static-documents.ts';

/** Header and body of a request; the gateway bounds the body further. */
const requestTimeoutMs = 60_000;
const headersTimeoutMs = 20_000;

/** Longer than balancers keep idle connections, so that it is never us who close one they are about to use. */
const keepAliveMs = 65_000;

/** A connection on which nothing moves, because its answer is not taken; longer than any answer is made. */
const idleMs = 300_000;
const largestHeaderBytes = 16 * 1024;

/** How often a server that closes looks for connections without a request. */
const idleCheckMs = 50;

export type HttpServer = {
  /** Binds and returns the port. @param host Address to listen at [all interfaces]. */
  listen(port: number, host?: string): Promise<number>;
  /** Requests are still answered, each on a connection that closes with its answer. */
  turnAway(): void;
  /** Ends when the requests under way have been answered; after `graceMs` they are cut off. */
  close(graceMs: number): Promise<void>;
};

export type Readiness = { ready: boolean; checks: Record<string, string> };

export type HttpServerOptions = {
  gateway: (request: IncomingMessage, response: ServerResponse) => void;
  connect: ConnectHandler;
  documents: StaticDocuments;
  /** Undefined when it is off. */
  console?: ConsoleHandler;
  readiness: () => Promise<Readiness>;
  /** Body of `/healthz`. */
  alive?: string;
  /** Answers what is no request, and closes its connection. */
  refuse: (error: Error, socket: Duplex) => void;
  connections: ConnectionBounds;
  tls?: CertificateSource;
  /** Until a connection must have begun TLS; as long as for headers where nothing is said. */
  handshakeTimeoutMs?: number;
};

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const answer = createHandler(options);
  let isTurningAway = false;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (isTurningAway) response.setHeader('connection', 'close');
    answer(request, response);
  };
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: largestHeaderBytes,
    /** We refuse it ourselves, with a problem document. */
    requireHostHeader: false,
  };
  const { tls } = options;
  const { handshakeTimeoutMs = headersTimeoutMs } = options;
  const server: Server = tls
    ? createRenewedServer(tls, { ...limits, handshakeTimeout: handshakeTimeoutMs }, handle)
    : createServer(limits, handle);
  limitConnections(server, options.connections);
  /** What is answered to a connection without TLS would wait for the TLS, and the connection with it, for ever. */
  server.prependListener('tlsClientError', (_error, socket: Socket) => void socket.destroy());
  /** Node's own list lacks those that have not begun TLS yet; a server that closes waits for them too. */
  const sockets = openSocketsOf(server);
  server.setTimeout(idleMs);
  /** An expectation that we do not know is passed over (RFC 9110, 10.1.1), where Node would answer without a body. */
  server.on('checkExpectation', handle);
  server.on('clientError', options.refuse);
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host }, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    turnAway() {
      isTurningAway = true;
    },
    close: (graceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, graceMs);
        /** Those whose request was under way when we turned away are idle after their answer. */
        const closing = setInterval(() => server.closeIdleConnections(), idleCheckMs);
        server.close(() => {
          clearTimeout(timer);
          clearInterval(closing);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function createRenewedServer(
  tls: CertificateSource,
  options: ServerOptions,
  handle: RequestListener,
): Server {
  const contextOf = ({ certificate, key }: Certificate) => ({ cert: certificate, key });
  const server = createTlsServer({ ...options, ...contextOf(tls.current) }, handle);
  tls.onRenewal((renewed) => server.setSecureContext(contextOf(renewed)));
  return server;
}

function createHandler(options: HttpServerOptions) {
  const { gateway, connect, documents, console, readiness, refuse, alive = '{"status":"alive"}' } = options;
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = originFormOf(request.url!);
    request.url = url;
    const queryStart = url.indexOf('?');
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (lacksHost(request)) refuse(new Error('no Host header'), request.socket);
    else if (isRead && path === '/healthz') answer(response, 200, 'application/json', alive);
    else if (isRead && path === '/readyz') void answerReadiness(response, readiness);
    else if (isRead && documents.answer(path, request, response)) return;
    else if (connect.handles(path)) connect.handle(request, response);
    else if (console?.handles(path)) console.handle(request, response);
    else gateway(request, response);
  };
}

/** A request may name its address as a whole, as those of some proxies do (RFC 9112, 3.2.2). */
function originFormOf(target: string): string {
  if (target.startsWith('/')) return target;
  const [address, path] = /^https?:\/\/[^/?#]*(.*)$/i.exec(target) ?? [];
  if (address === undefined) return target;
  return path.startsWith('/') ? path : `/${path}`;
}

/** HTTP/1.1 asks for it (RFC 9112, 3.2). */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

async function answerReadiness(response: ServerResponse, readiness: () => Promise<Readiness>): Promise<void> {
  const { ready, checks } = await readiness();
  const body = JSON.stringify({ status: ready ? 'ready' : 'not ready', checks });
  answer(response, ready ? 200 : 503, 'application/json', body);
}

function answer(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
