/** The largest message of a call: what the proto of its operation declares, less for a write key. */

import { DomainError } from '../errors.ts';
import type { Call } from '../handlers/chain/call.ts';
import type { Operation } from '../handlers/chain/operation.ts';

const defaultMostBytes = 1024 * 1024;

/** Everybody can read a write key. A browser's events are far smaller; imports use a token. */
export const writeKeyMostBytes = 1024 * 1024;

/** @param call Undefined for the bound of all callers. */
export function mostBytesOf({ options }: Operation, call?: Pick<Call, 'caller'>): number {
  const declared = options.maxBodyBytes || defaultMostBytes;
  return call?.caller?.kind === 'write_key' ? Math.min(declared, writeKeyMostBytes) : declared;
}

export function messageTooLarge(mostBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The message must not be larger than ${mostBytes} bytes.`, {
    metadata: { limit_bytes: String(mostBytes) },
  });
}
