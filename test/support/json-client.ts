/** A client of the documented HTTP interface: one call, and the parts of its answer. */

import { request as httpRequest } from 'node:http';

export type Answer<Body = unknown> = {
  status: number;
  body: Body;
  /** Last segment of a problem's `type`; undefined for other answers. */
  reason: string | undefined;
  /** The pointers of a problem's `errors`, in order. */
  pointers: string[];
};

export type JsonClient = {
  /** @param body Sent as JSON unless it is text or bytes. */
  send<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  get<Body = unknown>(path: string): Promise<Answer<Body>>;
  put<Body = unknown>(path: string, body?: unknown): Promise<Answer<Body>>;
  post<Body = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>>;
};

type Problem = { type?: string; errors?: { pointer: string }[] };

/** @param authorization `Bearer …`; empty for none. */
export function createJsonClient(service: { baseUrl: string; authorization: string }): JsonClient {
  const send: JsonClient['send'] = async (method, path, body, headers = {}) => {
    const { status, text, type } = await exchange(new URL(service.baseUrl + path), method, encode(body), {
      ...(service.authorization === '' ? {} : { authorization: service.authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
    const parsed = text === '' ? undefined : JSON.parse(text);
    const isProblem = type?.startsWith('application/problem+json') && parsed !== undefined;
    const problem: Problem = isProblem ? parsed : {};
    return {
      status,
      body: parsed,
      reason: problem.type?.split('/').at(-1)?.toLowerCase(),
      pointers: (problem.errors ?? []).map(({ pointer }) => pointer),
    };
  };
  return {
    send,
    get: (path) => send('GET', path),
    put: (path, body) => send('PUT', path, body),
    post: (path, body, headers) => send('POST', path, body, headers),
  };
}

function encode(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

type Exchanged = { status: number; text: string; type: string | undefined };

/** Uses `node:http`, because fetch sets its own user agent and refuses some requests of tests. */
function exchange(
  url: URL,
  method: string,
  body: string | Uint8Array | undefined,
  headers: Record<string, string>,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
      } catch (error) {
        return reject(error);
      }
      const { statusCode = 0, headers: answered } = response;
      resolve({
        status: statusCode,
        text: Buffer.concat(chunks).toString(),
        type: answered['content-type'],
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
