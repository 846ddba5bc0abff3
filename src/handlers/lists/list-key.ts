/**
 * Keys of lists: the row of the list and a secret of 128 bits.
 *
 * Rows are derived from the `request_id`, so that explanations find the lists of a request. The
 * request ID appears in events and reports, so a page also requires the secret, which is random and
 * only known to the caller of the request.
 */

import { randomFillSync, timingSafeEqual } from 'node:crypto';

const secretBytes = 16;
const digestStart = 28;
const separator = '.';

/**
 * Draws many secrets at once; one system call for each would dominate the cost of an answer's
 * names.
 */
const drawn = Buffer.alloc(secretBytes * 256);
let usedBytes = drawn.length;

/** Returns a secret for the lists of one answer. */
export function newListSecret(): string {
  if (usedBytes === drawn.length) {
    randomFillSync(drawn);
    usedBytes = 0;
  }
  usedBytes += secretBytes;
  return drawn.toString('base64url', usedBytes - secretBytes, usedBytes);
}

/** @param requestId A UUID. @param place Position of the list in its request, from 0. */
export function listRowOf(requestId: string, place: number): string {
  const digits = Number.parseInt(requestId.slice(digestStart), 16);
  const own = (digits + place + 1) % 2 ** 32;
  return requestId.slice(0, digestStart) + own.toString(16).padStart(8, '0');
}

export function listKeyOf(row: string, secret: string): string {
  return row + separator + secret;
}

export type ListKeyParts = { row: string; secret: string };

/** Returns undefined for a malformed key. */
export function readListKey(listKey: string): ListKeyParts | undefined {
  const [row, secret, ...others] = listKey.split(separator);
  return secret && others.length === 0 ? { row, secret } : undefined;
}

/** Compares in constant time. Lists stored by early versions have no secret. */
export function isSecret(given: string, kept: string | undefined): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(kept ?? '')];
  return a.length === b.length && timingSafeEqual(a, b);
}
