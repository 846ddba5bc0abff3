/** The documented JSON interface, with an access token on every request. */

import { readCredentials } from './credentials.ts';
import { KnownFailure, sayingSource } from './failure.ts';
import { type Answer, createFetch, type Fetch, isSuccess } from './fetch.ts';
import type { ConnectionOptions } from './options.ts';

export type HttpOptions = Pick<
  ConnectionOptions,
  'url' | 'credentials' | 'clientId' | 'clientSecret' | 'token' | 'ca'
>;

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export type HttpAnswer = {
  /** Undefined when the answer has none. */
  json: unknown;
  /** With its quotes; undefined when the answer has none. */
  etag: string | undefined;
};

export type Http = {
  /** The JSON of the answer, undefined when it has none. @throws KnownFailure with what the service says. */
  request(method: Method, path: string, body?: unknown): Promise<unknown>;
  /** The same, with headers of the request and the entity tag of the answer. */
  exchange(
    method: Method,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<HttpAnswer>;
};

const timeoutMs = 30_000;
/** Of a token's lifetime, after which it is renewed: a command may wait for longer than one is valid. */
const usedShare = 0.9;

export async function openHttp(options: HttpOptions): Promise<Http> {
  const base = options.url.replace(/\/+$/, '');
  const fetch = await createFetch(options.ca);
  const given = options.token ?? process.env.PERSONALISATION_TOKEN;
  const renew = () => fetchToken(fetch, base, options);
  let token = given === undefined ? await renew() : { text: given, renewAtMs: Number.POSITIVE_INFINITY };
  const exchange: Http['exchange'] = async (method, path, { body, headers } = {}) => {
    if (performance.now() >= token.renewAtMs) token = await renew();
    const authorization = `Bearer ${token.text}`;
    return send(fetch, base + path, { method, body, headers: { ...headers, authorization } });
  };
  return {
    request: async (method, path, body) => (await exchange(method, path, { body })).json,
    exchange,
  };
}

type Token = { text: string; renewAtMs: number };

async function fetchToken(fetch: Fetch, base: string, options: HttpOptions): Promise<Token> {
  const askedMs = performance.now();
  const { clientId, clientSecret, source } = await readCredentials(options);
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const request = { method: 'POST', body, headers: {} };
  const { json } = await send(fetch, `${base}/oauth/token`, request).catch((error) => {
    throw sayingSource(error, source);
  });
  const { access_token: text, expires_in: seconds } = json as { access_token: string; expires_in: number };
  return { text, renewAtMs: askedMs + seconds * 1_000 * usedShare };
}

type Request = { method: string; body: unknown; headers: Record<string, string> };

async function send(fetch: Fetch, url: string, { method, body, headers }: Request): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    throw new Error(
      `${url} cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
    );
  });
  const json = parse(response.text);
  if (!isSuccess(response)) throw toFailure(url, response, json);
  return { json, etag: response.headers.etag };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Problem = { type?: string; detail?: string; errors?: { pointer: string; detail: string }[] };

function toFailure(url: string, { status, statusText, headers }: Answer, json: unknown): KnownFailure {
  const retryAfter = headers['retry-after'];
  const problem = (typeof json === 'object' ? json : undefined) as Problem | undefined;
  return new KnownFailure({
    reason: problem?.type?.split('/').at(-1),
    message: problem?.detail ?? `${url} answered ${status} ${statusText}.`,
    violations: problem?.errors ?? [],
    retryAfterSeconds: retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined,
  });
}
