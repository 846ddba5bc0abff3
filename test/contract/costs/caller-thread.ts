/** A caller in a separate thread, so that the measured thread works only for the service. */

import { request } from 'node:http';
import { parentPort } from 'node:worker_threads';

export type Sent = { url: string; method: string; headers: Record<string, string>; body?: string };

export type Received = { status: number; bytes: number; start: string };

/** The parts of an answer that identify it. */
const shownLength = 2_000;

parentPort!.on('message', async (sent: Sent) => {
  parentPort!.postMessage(await send(sent));
});

function send({ url, method, headers, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers }, (answer) => {
      let bytes = 0;
      let start = '';
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (start.length < shownLength) start += chunk.toString('utf8');
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, bytes, start: start.slice(0, shownLength) }),
      );
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}
