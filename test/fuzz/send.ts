/** Sends bytes over HTTP/1.1 and HTTP/2 and returns the answer, complete or not. */

import { Agent, request as httpRequest } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Socket } from 'node:net';

export type Wire = {
  protocol: 'http1' | 'http2';
  method: string;
  /** From the root. */
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
};

export type Reply = {
  /** 0 when the connection ended without one. */
  status: number;
  /** Headers and trailers. */
  headers: Record<string, string>;
  body: Buffer;
  /** Whether the body was cut because of its length. */
  isCut: boolean;
  ms: number;
  /** Earlier requests of the connection, which often explain a missing answer. */
  before?: Wire;
  /** The failure of the connection, if any. */
  failure?: string;
};

/** Streams of events are long; their start is enough. */
const mostBodyBytes = 256 * 1024;
/** First line of a stream of changes, which stays open for five minutes. */
const streamStart = 'retry: 1000\n';

export type Sender = { send(wire: Wire): Promise<Reply>; close(): void };

export function createSender(httpOrigin: string, grpcAddress: string): Sender {
  const agent = new Agent({ keepAlive: true });
  let session: ClientHttp2Session | undefined;
  const sessionOf = () => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`http://${grpcAddress}`);
      session.on('error', () => undefined);
    }
    return session;
  };
  return {
    send: (wire) =>
      wire.protocol === 'http1' ? sendHttp1(httpOrigin, agent, wire) : sendHttp2(sessionOf(), wire),
    close() {
      agent.destroy();
      session?.destroy();
    },
  };
}

const lastOf = new WeakMap<Socket, Wire>();

type Parts = { resolve: (reply: Reply) => void; startMs: number };

function collect({ resolve, startMs }: Parts) {
  const reply: Reply = { status: 0, headers: {}, body: Buffer.alloc(0), isCut: false, ms: 0 };
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    reply,
    /** Returns true when enough was read. */
    take(chunk: Buffer): boolean {
      if (reply.ms === 0) reply.ms = performance.now() - startMs;
      chunks.push(chunk);
      length += chunk.length;
      reply.isCut = length > mostBodyBytes || chunk.includes(streamStart);
      return reply.isCut;
    },
    end() {
      if (reply.ms === 0) reply.ms = performance.now() - startMs;
      reply.body = Buffer.concat(chunks);
      resolve(reply);
    },
  };
}

function sendHttp1(origin: string, agent: Agent, wire: Wire): Promise<Reply> {
  const { method, path, headers, body } = wire;
  return new Promise((resolve) => {
    const { reply, take, end } = collect({ resolve, startMs: performance.now() });
    const { hostname, port } = new URL(origin);
    const length = body.length > 0 || method === 'POST' ? { 'content-length': String(body.length) } : {};
    const request = httpRequest({ hostname, port, agent, method, path, headers: { ...headers, ...length } });
    request.on('socket', (socket) => {
      reply.before = lastOf.get(socket);
      lastOf.set(socket, wire);
    });
    request.on('error', ({ message }) => {
      reply.failure = message;
      end();
    });
    request.on('response', (response) => {
      reply.status = response.statusCode!;
      reply.headers = response.headers as Record<string, string>;
      response.on('data', (chunk: Buffer) => take(chunk) && response.destroy());
      response.on('close', end);
    });
    request.end(body);
  });
}

function sendHttp2(session: ClientHttp2Session, { method, path, headers, body }: Wire): Promise<Reply> {
  return new Promise((resolve) => {
    const { reply, take, end } = collect({ resolve, startMs: performance.now() });
    const stream = session.request({ ':method': method, ':path': path, te: 'trailers', ...headers });
    const keep = (more: object) => Object.assign(reply.headers, more);
    stream.on('response', (head) => {
      reply.status = Number(head[':status']);
      keep(head);
    });
    stream.on('trailers', keep);
    stream.on('data', (chunk: Buffer) => take(chunk) && stream.close());
    stream.on('error', () => undefined);
    stream.on('close', end);
    stream.end(body);
  });
}
