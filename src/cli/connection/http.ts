/** The documented JSON interface, with an access token on every request. */

import { parseJson } from '../json.ts';
import { openTokens } from './credentials.ts';
import { ServiceFailure } from './failure.ts';
import { type Answer, createFetch, type Fetch, isSuccess } from './fetch.ts';
import type { ConnectionOptions } from './options.ts';

export type HttpOptions = Pick<
  ConnectionOptions,
  'url' | 'credentials' | 'clientId' | 'clientSecret' | 'token' | 'ca'
>;

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export type HttpAnswer = {
  /** Undefined when the answer has no body. */
  json: unknown;
  /** With its quotes; undefined when the answer has none. */
  etag: string | undefined;
};

export type Http = {
  /** Returns the JSON of the answer. @throws ServiceFailure with the service's problem document. */
  request(method: Method, path: string, body?: unknown): Promise<unknown>;
  /** The same, with headers of the request and the entity tag of the answer. */
  exchange(
    method: Method,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<HttpAnswer>;
};

const timeoutMs = 30_000;

export async function openHttp(options: HttpOptions): Promise<Http> {
  const base = options.url.replace(/\/+$/, '');
  const fetch = await createFetch(options.ca);
  const tokens = await openTokens(options, async ({ clientId, clientSecret }) => {
    const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const { json } = await send(fetch, `${base}/oauth/token`, { method: 'POST', body, headers: {} });
    const { access_token: value, expires_in: seconds } = json as { access_token: string; expires_in: number };
    return { value, lifetimeMs: seconds * 1_000 };
  });
  const exchange: Http['exchange'] = async (method, path, { body, headers } = {}) => {
    const authorization = `Bearer ${await tokens.get()}`;
    return send(fetch, base + path, { method, body, headers: { ...headers, authorization } });
  };
  return {
    request: async (method, path, body) => (await exchange(method, path, { body })).json,
    exchange,
  };
}

type Request = { method: string; body: unknown; headers: Record<string, string> };

async function send(fetch: Fetch, url: string, { method, body, headers }: Request): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    const { message } = (error.cause as Error | undefined) ?? error;
    throw new Error(`${url} cannot be reached: ${message}.`);
  });
  const json = parseJson(response.text);
  if (!isSuccess(response)) throw toFailure(url, response, json);
  return { json, etag: response.headers.etag };
}

type Problem = { type?: string; detail?: string; errors?: { pointer: string; detail: string }[] };

function toFailure(url: string, { status, statusText, headers }: Answer, json: unknown): ServiceFailure {
  const retryAfter = headers['retry-after'];
  const problem = (typeof json === 'object' ? json : undefined) as Problem | undefined;
  return new ServiceFailure({
    reason: problem?.type?.split('/').at(-1),
    message: problem?.detail ?? `${url} answered ${status} ${statusText}.`,
    violations: problem?.errors ?? [],
    retryAfterMs: retryAfter && /^\d+$/.test(retryAfter) ? 1_000 * Number(retryAfter) : undefined,
  });
}
