/** CORS headers by the Fetch standard. Browsers withhold answers without them from pages of other origins. */

import type { IncomingMessage } from 'node:http';

/** Seconds that a browser may cache a preflight. */
const preflightSeconds = 600;

export type CorsHeaders = Record<string, string>;

export type Cors = {
  /** Returns the headers of an answer; none without `Origin` or for an origin that is not allowed. */
  headersOf(request: IncomingMessage): CorsHeaders;
  /** Returns the headers for a preflight of a path with these methods. */
  preflightOf(request: IncomingMessage, methods: readonly string[]): CorsHeaders;
};

const none: CorsHeaders = {};

/** Added by the monitoring of pages: W3C Trace Context and Baggage, Sentry, Datadog, New Relic. */
const traceHeaders = [
  ...['traceparent', 'tracestate', 'baggage', 'sentry-trace', 'newrelic'],
  ...['x-datadog-trace-id', 'x-datadog-parent-id', 'x-datadog-origin', 'x-datadog-sampling-priority'],
];

const allowedHeaders = [
  'authorization',
  'content-type',
  'content-encoding',
  'if-match',
  'if-none-match',
  'prefer',
  ...traceHeaders,
];
const exposedHeaders = [
  'x-request-id',
  'etag',
  'preference-applied',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'server-timing',
];

/** Further headers of a protocol such as Connect. */
export type ProtocolHeaders = { allowed: readonly string[]; exposed: readonly string[] };

/** `origins` as in `https://shop.example`; `*` allows any. */
export function createCors(origins: readonly string[], protocol?: ProtocolHeaders): Cors {
  const allowHeaders = [...new Set([...allowedHeaders, ...(protocol?.allowed ?? [])])].join(', ');
  const exposeHeaders = [...exposedHeaders, ...(protocol?.exposed ?? [])].join(', ');
  const allowed = new Set(origins);
  const isOpen = allowed.has('*');
  const headersOf = ({ headers: { origin } }: IncomingMessage): CorsHeaders => {
    if (origin === undefined || !(isOpen || allowed.has(origin))) return none;
    return {
      'access-control-allow-origin': isOpen ? '*' : origin,
      'access-control-expose-headers': exposeHeaders,
      /** For beacons, which send cookies; operations ignore these. */
      ...(!isOpen && { vary: 'origin', 'access-control-allow-credentials': 'true' }),
    };
  };
  return {
    headersOf,
    preflightOf(request, methods) {
      const headers = headersOf(request);
      if (headers === none) return none;
      return {
        ...headers,
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': allowHeaders,
        'access-control-max-age': String(preflightSeconds),
      };
    },
  };
}
