/** The HTTP port: health, public documents, Connect, the console, and the gateway for all other paths. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DomainError } from '../errors.ts';
import type { Certificate, CertificateSource } from './certificate.ts';
import { type ConnectionBounds, limitConnections, listen, openSocketsOf } from './connections.ts';
import type { StaticDocuments } from './documents/static-documents.ts';
import { addressTooLong } from './gateway/http-refusal.ts';
import { type PathHandler, sendBody } from './path-handler.ts';

/** Time for the header and body of a request; the gateway limits the body further. */
const requestTimeoutMs = 60_000;
const headersTimeoutMs = 20_000;

/** Timeout of a connection without progress; longer than any answer takes. */
const idleMs = 300_000;
/** The address and all headers. */
const largestHeadBytes = 32 * 1024;
const longestAddress = 16 * 1024;

/** Interval at which a closing server closes idle connections. */
const idleCheckMs = 50;

export type HttpServer = {
  /** Opens the port and returns its number. @param host Address to listen at [all interfaces]. */
  listen(port: number, host?: string): Promise<number>;
  /** Still answers requests, and closes each connection after its answer. */
  turnAway(): void;
  /** Resolves when the requests in progress are answered; after `graceMs` they are cut off. */
  close(graceMs: number): Promise<void>;
};

/** `problems` are sentences for `/readyz?verbose` [none]. */
export type Readiness = { ready: boolean; checks: Record<string, string>; problems?: readonly string[] };

/** In one answer. */
const mostProblems = 20;

export type HttpServerOptions = {
  gateway: (request: IncomingMessage, response: ServerResponse) => void;
  connect: PathHandler;
  documents: StaticDocuments;
  /** Absent when the deployment turns it off. */
  console?: PathHandler;
  /** Absent when the deployment turns it off. */
  agents?: PathHandler;
  readiness: () => Promise<Readiness>;
  /** Body of `/healthz`. */
  alive?: string;
  /** Answers bytes that are not a valid request, and closes the connection. */
  refuse: (error: Error, socket: Duplex) => void;
  connections: ConnectionBounds;
  /** Time until an idle connection is closed [Node's 5 s]. */
  keepAliveMs?: number;
  tls?: CertificateSource;
  /** Time for the TLS handshake [20 s]. */
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
    keepAliveTimeout: options.keepAliveMs,
    maxHeaderSize: largestHeadBytes,
    /** The handler refuses such requests with a problem document. */
    requireHostHeader: false,
  };
  const { tls } = options;
  const { handshakeTimeoutMs = headersTimeoutMs } = options;
  const server: Server = tls
    ? createRenewedServer(tls, { ...limits, handshakeTimeout: handshakeTimeoutMs }, handle)
    : createServer(limits, handle);
  limitConnections(server, options.connections);
  /** An answer to a connection without TLS would wait for the handshake without end. */
  server.prependListener('tlsClientError', (_error, socket: Socket) => void socket.destroy());
  /** Node's own list lacks connections without a completed TLS handshake, which hold up a closing server. */
  const sockets = openSocketsOf(server);
  server.setTimeout(idleMs);
  /** Ignores unknown expectations (RFC 9110, 10.1.1), which Node would answer without a body. */
  server.on('checkExpectation', handle);
  server.on('checkContinue', (request, response) => {
    inviteBody(request, response);
    handle(request, response);
  });
  server.on('clientError', options.refuse);
  return {
    listen: (port, host) => listen(server, port, host),
    turnAway() {
      isTurningAway = true;
    },
    close: (graceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, graceMs);
        /** Connections become idle after the answers in progress. */
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

/** Sends `100 Continue` when the body is first read, which is after the caller's admission. */
function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  /** The caller of a refused request may send its body or not. */
  response.setHeader('connection', 'close');
  const invite = (event: string | symbol) => {
    if ((event !== 'data' && event !== 'readable') || response.headersSent) return;
    request.off('newListener', invite);
    response.removeHeader('connection');
    response.writeContinue();
  };
  request.on('newListener', invite);
}

function createHandler(options: HttpServerOptions) {
  const { gateway, connect, documents, console, agents, readiness, refuse } = options;
  const { alive = '{"status":"alive"}' } = options;
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = originFormOf(request.url!);
    request.url = url;
    const queryStart = url.indexOf('?');
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const fault = faultOf(request);
    if (fault) refuse(fault, request.socket);
    else if (isRead && path === '/healthz') sendBody(response, 200, alive, json);
    else if (isRead && path === '/readyz') void answerReadiness(response, readiness, queryOf(url));
    else if (isRead && documents.answer(path, request, response)) return;
    else if (connect.handles(path)) connect.handle(request, response);
    else if (console?.handles(path)) console.handle(request, response);
    else if (agents?.handles(path)) agents.handle(request, response);
    else gateway(request, response);
  };
}

/** Returns the path of a target in absolute form, which some proxies send (RFC 9112, 3.2.2). */
function originFormOf(target: string): string {
  if (target.startsWith('/')) return target;
  const [address, path] = /^https?:\/\/[^/?#]*(.*)$/i.exec(target) ?? [];
  if (address === undefined) return target;
  return path.startsWith('/') ? path : `/${path}`;
}

/** HTTP/1.1 requires one Host header (RFC 9112, 3.2). */
function faultOf({ url, httpVersion, rawHeaders }: IncomingMessage): DomainError | undefined {
  if (url!.length > longestAddress) return addressTooLong();
  let hostCount = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') hostCount += 1;
  if (hostCount === 1 || (hostCount === 0 && httpVersion !== '1.1')) return undefined;
  return new DomainError('PARAMETER_INVALID', 'The request must have one Host header.');
}

const json = { 'content-type': 'application/json' };

const queryOf = (url: string) => new URLSearchParams(url.split('?', 2)[1]);

async function answerReadiness(
  response: ServerResponse,
  readiness: () => Promise<Readiness>,
  query: URLSearchParams,
): Promise<void> {
  const { ready, checks, problems = [] } = await readiness();
  const details = query.has('verbose') ? { problems: problems.slice(0, mostProblems) } : {};
  const body = JSON.stringify({ status: ready ? 'ready' : 'not ready', checks, ...details });
  sendBody(response, ready ? 200 : 503, body, json);
}
