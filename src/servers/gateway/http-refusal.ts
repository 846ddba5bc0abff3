/** Answers bytes that the HTTP parser refuses with a problem document. */

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError } from '../../errors.ts';
import { describeProblem } from './http-answer.ts';

/** Handles the `clientError` event of a server: answers and closes the connection. */
export function refuseUnparsed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  place: { basePath: string; requestId: string },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { problem, headers } = describeProblem(refusalOf(error), place);
  const body = JSON.stringify(problem);
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${head}\r\n${body}`);
}

/** The start of a request with an address beyond all bounds. */
const longAddress = /^[A-Z]+ [^\n]{16384}/;

export function addressTooLong(): DomainError {
  return new DomainError('ADDRESS_TOO_LONG', 'The address must have at most 16384 characters.');
}

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };

function refusalOf(error: ParserError): DomainError {
  if (error instanceof DomainError) return error;
  const { code, rawPacket } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new DomainError('REQUEST_TIMEOUT', 'The request did not arrive completely in time.');
  if (code === 'HPE_HEADER_OVERFLOW' && longAddress.test(rawPacket?.toString('latin1') ?? ''))
    return addressTooLong();
  if (code === 'HPE_HEADER_OVERFLOW')
    return new DomainError('PARAMETER_INVALID', 'The address and headers of the request are too long.');
  return new DomainError('PARAMETER_INVALID', 'The request is not well-formed HTTP.');
}
