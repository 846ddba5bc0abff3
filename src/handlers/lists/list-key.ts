/**
 * Keys of lists: the row where a list is kept, and a secret of 128 bits.
 *
 * The rows of a request's lists are named after its `request_id`, so that whoever may explain answers finds them. But that
 * identifier travels in events and reports, and a page shows whom its list is for. A page therefore takes the secret too, which is
 * drawn for the answer, kept in the row and derived from nothing: only who was answered has it.
 */

import { randomFillSync, timingSafeEqual } from 'node:crypto';

const secretBytes = 16;
const digestStart = 28;
const separator = '.';

/** Drawn for many at once: a call for each costs more than all else of an answer's names. */
const drawn = Buffer.alloc(secretBytes * 256);
let usedBytes = drawn.length;

/** Of one answer; its lists share it. */
export function newListSecret(): string {
  if (usedBytes === drawn.length) {
    randomFillSync(drawn);
    usedBytes = 0;
  }
  usedBytes += secretBytes;
  return drawn.toString('base64url', usedBytes - secretBytes, usedBytes);
}

/**
 * @param requestId A UUID.
 * @param place Of the list in its request, from 0.
 */
export function listRowOf(requestId: string, place: number): string {
  const digits = Number.parseInt(requestId.slice(digestStart), 16);
  const own = (digits + place + 1) % 2 ** 32;
  return requestId.slice(0, digestStart) + own.toString(16).padStart(8, '0');
}

export function listKeyOf(row: string, secret: string): string {
  return row + separator + secret;
}

export type ListKeyParts = { row: string; secret: string };

/** Undefined for what no answer ever held. */
export function readListKey(listKey: string): ListKeyParts | undefined {
  const [row, secret, ...others] = listKey.split(separator);
  return secret && others.length === 0 ? { row, secret } : undefined;
}

/** In a time that does not tell how much of it is right. A row of before there were secrets has none. */
export function isSecret(given: string, kept: string | undefined): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(kept ?? '')];
  return a.length === b.length && timingSafeEqual(a, b);
}
