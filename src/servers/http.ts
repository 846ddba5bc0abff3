/** The HTTP port: health, keys, the interface's description, Connect, and the gateway for everything else. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ConnectHandler } from './connect.ts';
import type { ConsoleHandler } from './console/console.ts';
import { refuseUnparsed } from './http-refusal.ts';

/** Header and body of a request; the gateway bounds the body further. */
const requestTimeoutMs = 60_000;
const headersTimeoutMs = 20_000;

/** Longer than balancers keep idle connections, so that it is never us who close one they are about to use. */
const keepAliveMs = 65_000;
const largestHeaderBytes = 16 * 1024;

export type HttpServer = {
  /** Binds and returns the port. */
  listen(port: number): Promise<number>;
  /** Ends when the requests under way have been answered; after `graceMs` they are cut off. */
  close(graceMs: number): Promise<void>;
};

/** A document served as it is, by path. */
export type StaticDocument = { contentType: string; body: string | (() => Promise<string>) };

export type Readiness = { ready: boolean; checks: Record<string, string> };

export type HttpServerOptions = {
  gateway: (request: IncomingMessage, response: ServerResponse) => void;
  connect: ConnectHandler;
  documents: ReadonlyMap<string, StaticDocument>;
  /** Undefined when it is off. */
  console?: ConsoleHandler;
  readiness: () => Promise<Readiness>;
  newRequestId: () => string;
  tls?: { certificate: Buffer; key: Buffer };
};

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const handle = createHandler(options);
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: largestHeaderBytes,
    /** We refuse it ourselves, with a problem document. */
    requireHostHeader: false,
  };
  const { tls } = options;
  const server: Server = tls
    ? createTlsServer({ ...limits, cert: tls.certificate, key: tls.key }, handle)
    : createServer(limits, handle);
  /** An expectation that we do not know is passed over (RFC 9110, 10.1.1), where Node would answer without a body. */
  server.on('checkExpectation', handle);
  server.on('clientError', (error, socket) => refuseUnparsed(error, socket, options.newRequestId()));
  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: (graceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function createHandler(options: HttpServerOptions) {
  const { gateway, connect, documents, console, readiness, newRequestId } = options;
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url!;
    const queryStart = url.indexOf('?');
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (lacksHost(request)) refuseUnparsed(new Error('no Host header'), request.socket, newRequestId());
    else if (isRead && path === '/healthz') answer(response, 200, 'application/json', '{"status":"alive"}');
    else if (isRead && path === '/readyz') void answerReadiness(response, readiness);
    else if (isRead && documents.has(path)) void answerDocument(response, documents.get(path)!);
    else if (connect.handles(path)) connect.handle(request, response);
    else if (console?.handles(path)) console.handle(request, response);
    else gateway(request, response);
  };
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

async function answerDocument(
  response: ServerResponse,
  { contentType, body }: StaticDocument,
): Promise<void> {
  try {
    answer(response, 200, contentType, typeof body === 'string' ? body : await body());
  } catch {
    answer(response, 503, 'text/plain; charset=utf-8', 'Not available at the moment.\n');
  }
}

function answer(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
