/**
 * One keep-alive connection that writes ready-made bytes and counts the answer's: a tenth of what an HTTP client costs, so
 * that the load leaves the machine to the server.
 */

import { connect } from 'node:net';
import type { Lane } from './load.ts';

const host = '127.0.0.1';
const headerEnd = Buffer.from('\r\n\r\n');

export type HttpRequest = { method: string; path: string; body?: unknown; authorization?: string };

/** The whole request as it goes over the wire. */
export function encodeRequest({ method, path, body, authorization }: HttpRequest): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body);
  const headers = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    ...(authorization ? [`authorization: ${authorization}`] : []),
    ...(json ? ['content-type: application/json', `content-length: ${Buffer.byteLength(json)}`] : []),
  ];
  return Buffer.from(`${headers.join('\r\n')}\r\n\r\n${json}`);
}

export function createHttpLane(port: number): Lane<Buffer> {
  let done: ((failure?: string) => void) | undefined;
  let received: Buffer | undefined;
  let wholeLength = 0;

  const finish = (failure?: string) => {
    const call = done;
    done = undefined;
    received = undefined;
    wholeLength = 0;
    call?.(failure);
  };
  const receive = (chunk: Buffer) => {
    received = received === undefined ? chunk : Buffer.concat([received, chunk]);
    if (wholeLength === 0) wholeLength = answerLength(received);
    if (wholeLength === 0 || received.length < wholeLength) return;
    finish(received.toString('latin1', 9, 12) === '200' ? undefined : received.toString('utf8'));
  };
  const open = () => {
    const opened = connect({ host, port, noDelay: true });
    opened.on('data', receive);
    opened.on('error', (error) => finish(String(error)));
    opened.on('close', () => finish('The server closed the connection.'));
    return opened;
  };
  let socket = open();
  return {
    /** A lane that was idle for long may have been closed meanwhile, as a browser's connection is. */
    exchange(request, whenDone) {
      if (socket.destroyed || socket.readableEnded) socket = open();
      done = whenDone;
      socket.write(request);
    },
    close: () => socket.destroy(),
  };
}

/** Bytes of the whole answer, or 0 while its header is incomplete. Every answer here names its length. */
function answerLength(received: Buffer): number {
  const end = received.indexOf(headerEnd);
  if (end < 0) return 0;
  const header = received.toString('latin1', 0, end);
  const [, length = '0'] = /content-length: (\d+)/i.exec(header) ?? [];
  return end + headerEnd.length + Number(length);
}
