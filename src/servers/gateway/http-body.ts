/** Reads request bodies within limits of size and time. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DomainError } from '../../errors.ts';

export type BodyLimits = {
  /** Limits the body as sent, and after decompression. */
  maxBytes: number;
  /** Time until the last byte. */
  timeoutMs: number;
};

/** The client disconnected before its request was complete. */
export class ClientGone extends Error {}

const unzip = promisify(gunzip);

/** Whether the request's headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Returns the body as text. @throws BODY_TOO_LARGE, REQUEST_TIMEOUT, MEDIA_TYPE_UNSUPPORTED or BODY_NOT_JSON. */
export async function readText(request: IncomingMessage, limits: BodyLimits): Promise<string> {
  const encoding = request.headers['content-encoding']?.toLowerCase().replace('x-gzip', 'gzip') ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new DomainError('MEDIA_TYPE_UNSUPPORTED', 'Send the body without Content-Encoding or with gzip.', {
      metadata: { accept_encoding: 'gzip, identity' },
    });
  const sent = await readBytes(request, limits);
  const bytes = encoding === 'gzip' && sent.length > 0 ? await inflate(sent, limits.maxBytes) : sent;
  if (!isUtf8(bytes)) throw new DomainError('BODY_NOT_JSON', 'The body is not UTF-8.');
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function readBytes(request: IncomingMessage, { maxBytes, timeoutMs }: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  if (request.destroyed) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    const timer = setTimeout(() => settle(timedOut()), timeoutMs);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', settle).off('error', onGone).off('close', onGone);
      if (error === undefined) resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, byteCount));
      else reject(error);
    };
    const onData = (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > maxBytes) settle(tooLarge(maxBytes));
      else chunks.push(chunk);
    };
    const onGone = () => settle(new ClientGone());
    request.on('data', onData).on('end', settle).on('error', onGone).on('close', onGone);
  });
}

async function inflate(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new DomainError('BODY_NOT_JSON', 'The body is not gzip, although its Content-Encoding is.');
  }
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`, {
    metadata: { max_body_bytes: String(maxBytes) },
  });
}

function timedOut(): DomainError {
  return new DomainError('REQUEST_TIMEOUT', 'The body did not arrive completely in time.');
}
