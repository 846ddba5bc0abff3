/** A receiver of webhooks: an HTTP server that records what arrives, and answers as told. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';

export type Received = {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  event: { id: string; type: string; source: string; cursor: string; data: Record<string, unknown> };
};

export type Receiver = {
  url: string;
  received: Received[];
  /** How it answers from now on [204]. */
  answerWith(answer: (response: ServerResponse) => void): void;
  /** Resolves when the condition holds for what has arrived. @throws Error after 40 seconds. */
  until(condition: (received: Received[]) => boolean): Promise<void>;
  stop(): Promise<void>;
};

const longestWaitMs = 40_000;

/** @param port That of a receiver before its restart [any]. */
export async function startReceiver(t: Pick<ExecutionContext, 'teardown'>, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let answer = (response: ServerResponse): void => {
    response.writeHead(204).end();
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    received.push({ path: request.url!, headers: request.headers, text, event: JSON.parse(text) });
    answer(response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith(given) {
      answer = given;
    },
    async until(condition) {
      const endMs = Date.now() + longestWaitMs;
      while (!condition(received)) {
        if (Date.now() > endMs) throw new Error(`Only these arrived: ${JSON.stringify(received)}`);
        await delay(20);
      }
    },
    stop,
  };
}
