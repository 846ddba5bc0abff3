/** Where the gRPC port of a service is, whose HTTP interface one knows. */

import { readFile } from 'node:fs/promises';
import { get } from 'node:https';
import { json } from 'node:stream/consumers';
import type { ConnectionOptions } from './options.ts';

type Options = Pick<ConnectionOptions, 'url' | 'address' | 'ca'>;

const timeoutMs = 10_000;

/** HOST:PORT: as given, by the GRPC_PORT that the service was started with, or as the service tells. */
export async function findGrpcAddress({ url, address, ca }: Options, env = process.env): Promise<string> {
  if (address !== undefined) return address;
  const { hostname } = new URL(url);
  return `${hostname}:${env.GRPC_PORT ?? (await askPort(url, ca))}`;
}

async function askPort(url: string, ca: string | undefined): Promise<number> {
  const place = `${url.replace(/\/+$/, '')}/.well-known/personalisation`;
  const trusted = ca !== undefined && url.startsWith('https:') ? await readFile(ca) : undefined;
  const asked = trusted ? readTrusting(place, trusted) : readUsually(place);
  const answer = await asked.catch((error: Error) => {
    const cause = (error.cause as Error | undefined)?.message || error.message;
    throw new Error(`The service cannot be reached at ${url}: ${cause}. Name it with --url.`);
  });
  const port = (answer as { grpc_port?: unknown } | undefined)?.grpc_port;
  if (Number.isInteger(port)) return port as number;
  throw new Error(
    `${place} does not tell the gRPC port. Does the URL end in /api? Or name the address with --address.`,
  );
}

/** The JSON of an answer with success. */
async function readUsually(place: string): Promise<unknown> {
  const response = await fetch(place, { signal: AbortSignal.timeout(timeoutMs) });
  return response.ok ? response.json().catch(() => undefined) : undefined;
}

/** The same from a server of this certificate, which `fetch` cannot be told. */
function readTrusting(place: string, ca: Buffer): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = get(place, { ca, agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) =>
      resolve(response.statusCode === 200 ? json(response).catch(() => undefined) : undefined),
    );
    request.on('error', reject);
  });
}
