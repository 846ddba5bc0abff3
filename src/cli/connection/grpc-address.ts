/** Where the gRPC port of a service is, whose HTTP interface one knows. */

import { createFetch, isSuccess } from './fetch.ts';
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
  const fetch = await createFetch(ca);
  const response = await fetch(place, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: Error) => {
    const { message } = (error.cause as Error | undefined) ?? error;
    throw new Error(`The service cannot be reached at ${url}: ${message}. Name it with --url.`);
  });
  const answer = parse(response.text);
  if (isSuccess(response) && Number.isInteger(answer?.grpc_port)) return answer?.grpc_port as number;
  throw new Error(
    `${place} does not tell the gRPC port. Does the URL end in /api? Or name the address with --address.`,
  );
}

function parse(text: string): { grpc_port?: unknown } | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
