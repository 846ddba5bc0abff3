/**
 * Answer IDs, which clients put into the events about an answer.
 *
 * The ID is a random UUID whose last eight digits are a digest of the others. This detects foreign
 * IDs without a record of every answer: 74 random bits remain, and one foreign UUID in 2³² passes.
 * It is no protection against forgery. repository/doctor/content-queries.ts checks it in SQL.
 */

import { hash, randomUUID } from 'node:crypto';

/** Length of a UUID without the digest, in characters. */
const randomLength = 28;

export function newAnswerId(): string {
  return withDigest(randomUUID().slice(0, randomLength));
}

/** Completes a UUID with the digest of its start. */
export function withDigest(start: string): string {
  return start + hash('sha256', start).slice(0, 8);
}
