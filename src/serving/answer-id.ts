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

/** A UUID that suits takes some tries; nobody depends on finding one. */
const mostTries = 32;

const drawAny = (): string => withDigest(randomUUID().slice(0, randomLength));

/** @param suits See `drawSuiting`. */
export function newAnswerId(suits?: (id: string) => boolean): string {
  return suits ? drawSuiting(drawAny, suits) : drawAny();
}

/** The first that suits of those that are drawn, or else the last. */
export function drawSuiting(draw: () => string, suits: (drawn: string) => boolean): string {
  let drawn = draw();
  for (let tries = 1; tries < mostTries && !suits(drawn); tries++) drawn = draw();
  return drawn;
}

/** A UUID from all of it but its last eight digits. */
export function withDigest(start: string): string {
  return start + hash('sha256', start).slice(0, 8);
}
