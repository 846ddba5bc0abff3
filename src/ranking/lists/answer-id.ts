/**
 * Ids of answers, which callers put into the events about them.
 *
 * They are random UUIDs whose last eight digits are a digest of the others. So an id can be told from one that this service
 * never gave, without a record of every answer; 74 random bits remain, and one foreign UUID in four thousand million passes.
 * It proves nothing to somebody who wants to deceive. repository/doctor/named-answers.ts checks it in SQL.
 */

import { hash, randomUUID } from 'node:crypto';

/** Characters of a UUID before the digest. */
const randomLength = 28;

export function newAnswerId(): string {
  return withDigest(randomUUID().slice(0, randomLength));
}

/** A UUID from all of it but its last eight digits. */
export function withDigest(start: string): string {
  return start + hash('sha256', start).slice(0, 8);
}
