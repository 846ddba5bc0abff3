/** The documented JSON interface, with an access token on every request. */

import { readCredentials } from './credentials.ts';
import { HttpFailure } from './failure.ts';
import type { ConnectionOptions } from './options.ts';

export type HttpOptions = Pick<ConnectionOptions, 'credentials' | 'clientId' | 'clientSecret' | 'token'> & {
  /** Base URL, prefix of all documented paths. */
  url: string;
};

export type Http = {
  /** The JSON of the answer, undefined when it has none. @throws HttpFailure with what the service says. */
  request(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
};

const timeoutMs = 30_000;

export async function openHttp(options: HttpOptions): Promise<Http> {
  const base = options.url.replace(/\/+$/, '');
  const token = options.token ?? process.env.PERSONALISATION_TOKEN ?? (await fetchToken(base, options));
  return {
    request: (method, path, body) =>
      send(base + path, { method, body, headers: { authorization: `Bearer ${token}` } }),
  };
}

async function fetchToken(base: string, options: HttpOptions): Promise<string> {
  const { clientId, clientSecret } = await readCredentials(options);
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const answer = await send(`${base}/oauth/token`, { method: 'POST', body, headers: {} });
  return (answer as { access_token: string }).access_token;
}

type Request = { method: string; body: unknown; headers: Record<string, string> };

async function send(url: string, { method, body, headers }: Request): Promise<unknown> {
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
  const json = parse(await response.text());
  if (!response.ok) throw toFailure(response, json);
  return json;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Problem = { type?: string; detail?: string; errors?: { pointer: string; detail: string }[] };

function toFailure({ status, statusText, url }: Response, json: unknown): HttpFailure {
  const problem = (typeof json === 'object' ? json : undefined) as Problem | undefined;
  return new HttpFailure({
    reason: problem?.type?.split(':').at(-1)?.toUpperCase(),
    message: problem?.detail ?? `${url} answered ${status} ${statusText}.`,
    violations: problem?.errors ?? [],
  });
}
