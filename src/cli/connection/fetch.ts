/** HTTP requests, also with a certificate from a file, which Node's own `fetch` cannot take. */

import { readFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';

type Init = { method?: string; headers?: Record<string, string>; body?: string; signal: AbortSignal };

export type Answer = { status: number; statusText: string; headers: IncomingHttpHeaders; text: string };

/** @throws The cause of a failed connection, such as `connect ECONNREFUSED 127.0.0.1:8080`. */
export type Fetch = (url: string, init: Init) => Promise<Answer>;

/** @param ca Path of a PEM file with the certificate that is trusted instead of the system's. */
export async function createFetch(ca: string | undefined): Promise<Fetch> {
  const certificate = ca === undefined ? undefined : await readFile(ca);
  return async (url, init) => {
    const answer = await send(url, init, certificate);
    const isRedirect = answer.status >= 300 && answer.status < 400 && answer.headers.location !== undefined;
    return isRedirect && certificate === undefined ? fetchFollowing(url, init) : answer;
  };
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function send(url: string, { body, ...init }: Init, ca: Buffer | undefined): Promise<Answer> {
  const options = ca === undefined ? init : { ...init, ca, agent: false };
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => resolve(readAnswer(answer)));
    /** A host name with two addresses fails once for each. */
    sent.on('error', (error) => reject(error instanceof AggregateError ? error.errors[0] : error));
    sent.end(body);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = answer;
  return { status, statusText, headers, text: await text(answer) };
}

/** A redirected request had no effect yet, so `fetch` may send it again to follow the redirect. */
async function fetchFollowing(url: string, init: Init): Promise<Answer> {
  const answer = await fetch(url, init);
  const { status, statusText, headers } = answer;
  return { status, statusText, headers: Object.fromEntries(headers), text: await answer.text() };
}
