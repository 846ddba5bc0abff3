/** `fetch`, also of a service whose certificate a file of the caller's names: that it cannot be told. */

import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';

type Init = { method?: string; headers?: Record<string, string>; body?: string; signal: AbortSignal };

export type Fetch = (url: string, init: Init) => Promise<Response>;

/** @param ca path of a PEM file, whose certificate is trusted instead of the usual ones [these] */
export async function createFetch(ca: string | undefined): Promise<Fetch> {
  if (ca === undefined) return fetch;
  const trusted = await readFile(ca);
  return (url, init) => (url.startsWith('https:') ? fetchTrusting(url, init, trusted) : fetch(url, init));
}

function fetchTrusting(url: string, { body, ...init }: Init, ca: Buffer): Promise<Response> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...init, ca, agent: false }, (answer) => resolve(toResponse(answer)));
    asked.on('error', reject);
    asked.end(body);
  });
}

async function toResponse(answer: IncomingMessage): Promise<Response> {
  const bytes = await buffer(answer);
  const { statusCode: status, statusMessage: statusText, headers } = answer;
  const fields = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Response(bytes.length > 0 ? bytes : null, { status, statusText, headers: fields });
}
