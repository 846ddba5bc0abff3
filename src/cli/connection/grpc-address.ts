/** The address of a service's gRPC port, found through its HTTP interface. */

import { parseJson } from '../json.ts';
import { createFetch, isSuccess } from './fetch.ts';
import type { ConnectionOptions } from './options.ts';

type Options = Pick<ConnectionOptions, 'url' | 'address' | 'ca'>;

const timeoutMs = 10_000;

/** Returns HOST:PORT: the given address, or the port from GRPC_PORT or from the service. */
export async function findGrpcAddress({ url, address, ca }: Options, env = process.env): Promise<string> {
  if (address !== undefined) return address;
  const { hostname } = new URL(url);
  return `${hostname}:${env.GRPC_PORT ?? (await requestPort(url, ca))}`;
}

async function requestPort(url: string, ca: string | undefined): Promise<number> {
  const path = `${url.replace(/\/+$/, '')}/.well-known/personalisation`;
  const fetch = await createFetch(ca);
  const response = await fetch(path, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: Error) => {
    const { message } = (error.cause as Error | undefined) ?? error;
    throw new Error(`The service cannot be reached at ${url}: ${message}. Name it with --url.`);
  });
  const port = parseJson(response.text)?.grpc_port;
  if (isSuccess(response) && Number.isInteger(port)) return port as number;
  throw new Error(
    `${path} does not return the gRPC port. Check that the URL ends in /api, or name the address with --address.`,
  );
}
