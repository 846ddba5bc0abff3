/** HTTP/1.1 on plain sockets with many requests per write, for a hundred thousand requests. */

import { once } from 'node:events';
import { connect } from 'node:net';

export type RawRequest = {
  method: string;
  /** From the root, encoded. */
  path: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
};

/** Bytes of a request that keeps its connection alive. */
export function encodeRequest({ method, path, headers = {}, body }: RawRequest): Buffer {
  const lines = Object.entries({
    host: 'localhost',
    ...(body && { 'content-length': String(body.length) }),
    ...headers,
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n`), body ?? new Uint8Array()]);
}

/** Pending requests per connection. */
const pipelined = 20;

/** Sends all requests over one connection, in order, and gives the status of each answer. */
export async function exchangeRaw(port: number, requests: readonly Buffer[]): Promise<number[]> {
  const socket = connect(port, 'localhost');
  await once(socket, 'connect');
  const statuses: number[] = [];
  const reader = createAnswerReader((status) => statuses.push(status));
  let sent = 0;
  const sendMore = () => {
    const next = requests.slice(sent, statuses.length + pipelined);
    sent += next.length;
    if (next.length > 0) socket.write(Buffer.concat(next));
  };
  sendMore();
  for await (const chunk of socket) {
    reader.read(chunk);
    if (statuses.length === requests.length) break;
    if (sent - statuses.length < pipelined / 2) sendMore();
  }
  socket.destroy();
  return statuses;
}

/** Reads answers with a content-length, which all answers have. */
function createAnswerReader(onAnswer: (status: number) => void): { read(chunk: Buffer): void } {
  let pending: Buffer = Buffer.alloc(0);
  const readOne = (): boolean => {
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return false;
    const head = pending.toString('latin1', 0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (pending.length < end) return false;
    pending = pending.subarray(end);
    onAnswer(Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3)));
    return true;
  };
  return {
    read(chunk) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      while (readOne());
    },
  };
}
