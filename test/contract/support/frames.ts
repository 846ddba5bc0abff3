/** gRPC as bytes on an HTTP/2 stream, for messages that no client sends. */

import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';

export type Exchanged = {
  /** Headers and trailers together. */
  headers: IncomingHttpHeaders;
  body: Buffer;
};

/** A message with its frame: one byte for compression, four for the length. */
export function frame(message: Uint8Array, { compressed = false, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

/** Sends the bytes as the whole request and waits for the end of the answer. */
export async function sendBytes(
  address: string,
  path: string,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Exchanged> {
  const session = connect(`http://${address}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  const received: IncomingHttpHeaders = {};
  stream.on('response', (head) => Object.assign(received, head));
  stream.on('trailers', (trailers) => Object.assign(received, trailers));
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.end(bytes);
  await once(stream, 'close');
  session.close();
  return { headers: received, body: Buffer.concat(chunks) };
}
