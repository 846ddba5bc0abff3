/**
 * A request over HTTP, also to a service whose certificate a file of the caller's names. Node's own `fetch` cannot be told of
 * one, and its client takes a command half as long to load as all else that it does.
 */

import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

/** An import of `node:http` evaluates all that it exports, and loads the client of `fetch` for its WebSocket. */
const require = createRequire(import.meta.url);
const http: typeof import('node:http') = require('node:http');
const https: typeof import('node:https') = require('node:https');

type Init = { method?: string; headers?: Record<string, string>; body?: string; signal: AbortSignal };

export type Answer = {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  text: string;
};

/** @throws what stood in the way, e.g. `connect ECONNREFUSED 127.0.0.1:8080`. */
export type Fetch = (url: string, init: Init) => Promise<Answer>;

const firstSuccess = 200;
const firstRedirect = 300;
const firstFailure = 400;

/** @param ca path of a PEM file, whose certificate is trusted instead of the usual ones [these] */
export async function createFetch(ca: string | undefined): Promise<Fetch> {
  const trusted = ca === undefined ? undefined : await readFile(ca);
  return async (url, init) => {
    const answer = await send(url, init, trusted);
    const isElsewhere =
      answer.status >= firstRedirect && answer.status < firstFailure && answer.headers.location !== undefined;
    return isElsewhere && trusted === undefined ? fetchFollowing(url, init) : answer;
  };
}

export function isSuccess({ status }: Answer): boolean {
  return status >= firstSuccess && status < firstRedirect;
}

function send(url: string, { body, ...init }: Init, ca: Buffer | undefined): Promise<Answer> {
  const options = ca === undefined ? init : { ...init, ca, agent: false };
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const asked = request(url, options, (answer) => resolve(readAnswer(answer)));
    /** A name of two addresses has a fault for each. */
    asked.on('error', (error) => reject(error instanceof AggregateError ? error.errors[0] : error));
    asked.end(body);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = answer;
  return { status, statusText, headers, text: await text(answer) };
}

/** Whoever sends us elsewhere has done nothing yet, and how to go there `fetch` knows. */
async function fetchFollowing(url: string, init: Init): Promise<Answer> {
  const answer = await fetch(url, init);
  const { status, statusText, headers } = answer;
  return { status, statusText, headers: Object.fromEntries(headers), text: await answer.text() };
}
