/** One call of a node by a caller with a timeout. */

import { Agent, request as httpRequest } from 'node:http';
import type { ChaosNode } from './world.ts';

/** A paused node does not answer; its caller uses another one. */
const patienceMs = 10_000;

/** Status 0 when no answer came. */
export type Answer = {
  status: number;
  body: Record<string, unknown> | undefined;
  retryAfter: string | undefined;
  /** Reason for a missing answer. */
  failure?: string;
};

const agent = new Agent({ keepAlive: true });

export function call(node: ChaosNode, method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve) => {
    const { baseUrl, authorization } = node.served;
    const none = (error: unknown) =>
      resolve({ status: 0, body: undefined, retryAfter: undefined, failure: String(error) });
    const request = httpRequest(baseUrl + path, {
      agent,
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(patienceMs),
    });
    request.on('error', none);
    request.on('response', async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
        resolve({
          status: response.statusCode!,
          body: JSON.parse(Buffer.concat(chunks).toString() || '{}'),
          retryAfter: response.headers['retry-after'],
        });
      } catch (error) {
        none(error);
      }
    });
    request.end(body && JSON.stringify(body));
  });
}
