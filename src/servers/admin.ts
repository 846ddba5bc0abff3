/** The admin port: metrics for Prometheus and liveness. Plain HTTP, for the machine or the cluster only. */

import { createServer } from 'node:http';
import { listen } from './connections.ts';
import { sendBody } from './path-handler.ts';

export type Exposition = { contentType: string; body: string };

export type AdminServer = {
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
      sendBody(response, 200, body, { 'content-type': contentType });
    } catch {
      response.writeHead(500).end();
    }
  });
  return {
    listen: (port) => listen(server, port, host),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
