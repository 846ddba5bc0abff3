/** The largest message of a call: as the operation's proto declares, and less for a write key. */

import { DomainError } from '../errors.ts';
import type { Call } from '../handlers/chain/call.ts';
import type { Operation } from '../handlers/chain/operation.ts';

const defaultMaxBytes = 1024 * 1024;

/** Write keys are public, and events of a browser are far smaller. Imports use a token. */
const writeKeyMaxBytes = 1024 * 1024;

/** The header of a message in gRPC, gRPC-Web and Connect streams: a flag byte and the length in 4 bytes. */
export const frameBytes = 5;

/** @param call Absent for the bound of all callers. */
export function maxMessageBytes({ options }: Operation, call?: Pick<Call, 'caller'>): number {
  const declared = options.maxBodyBytes || defaultMaxBytes;
  return call?.caller?.kind === 'write_key' ? Math.min(declared, writeKeyMaxBytes) : declared;
}

/** Returns the length that a frame's header announces; 0 where the bytes do not hold a whole header. */
export function announcedBytes(frame: Uint8Array): number {
  if (frame.length < frameBytes) return 0;
  return new DataView(frame.buffer, frame.byteOffset).getUint32(1);
}

export function messageTooLarge(maxBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The message must not be larger than ${maxBytes} bytes.`, {
    metadata: { limit_bytes: String(maxBytes) },
  });
}
