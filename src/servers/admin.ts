/** The admin port: metrics for Prometheus, and whether the process is alive. Plain HTTP, meant for the machine or the cluster. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Exposition = { contentType: string; body: string };

export type AdminServer = {
  /** Binds and returns the port. */
  listen(port: number): Promise<number>;
  close(): Promise<void>;
};

export type AdminServerOptions = {
  /** Address to listen at, e.g. `127.0.0.1`. */
  host: string;
  /** Body of `/healthz`. */
  alive: string;
  expose(): Promise<Exposition>;
};

export function createAdminServer({ host, alive, expose }: AdminServerOptions): AdminServer {
  const answers: Record<string, () => Promise<Exposition>> = {
    '/metrics': expose,
    '/healthz': async () => ({ contentType: 'application/json', body: alive }),
  };
  const server = createServer(async ({ method, url = '' }, response) => {
    const path = url.split('?', 1)[0];
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer) return void response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD')
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    try {
      const { contentType, body } = await answer();
      response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
      response.end(body);
    } catch {
      response.writeHead(500).end();
    }
  });
  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
