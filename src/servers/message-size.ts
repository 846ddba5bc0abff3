/** The largest message of an operation, as its proto declares it. */

import { DomainError } from '../errors.ts';
import type { Operation } from '../handlers/chain/operation.ts';

const defaultMostBytes = 1024 * 1024;

export function mostBytesOf({ options }: Operation): number {
  return options.maxBodyBytes || defaultMostBytes;
}

export function messageTooLarge(mostBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The message must not be larger than ${mostBytes} bytes.`, {
    metadata: { limit_bytes: String(mostBytes) },
  });
}
