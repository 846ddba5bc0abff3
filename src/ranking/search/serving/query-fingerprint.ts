/**
 * The identifier of a search says which query it was: a UUID of version 8 that begins with the query's fingerprint.
 *
 *   fingerprint (48 bits) · 8 · chance (12 bits) · variant (2 bits) · chance (30 bits) · digest (32 bits, see answer-id.ts)
 *
 * So an event that names the search counts for its query on any node and after any restart, and no search has to be written
 * down for it. The digest tells our identifiers from a caller's own; forging one gains no more than sending false clicks does.
 */
import { hash, randomUUID } from 'node:crypto';
import { withDigest } from '../../lists/answer-id.ts';
import { foldTitle } from '../search.ts';

/** Characters of a query that count. */
const longestText = 1_024;

const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const digestLength = 8;
/** Of a UUID: where its version ends, and where the digest begins. Its chance is drawn ahead for many, at a tenth of the cost. */
const versionEnd = 15;
const chanceEnd = 28;

/** What two ways of typing the same query have in common; empty for a query without letters, digits and signs. */
export function foldQuery(query: string): string {
  return foldTitle(query.slice(0, longestText));
}

/** 48 bits of a folded query; equal ones are one of 281 million million. */
export function fingerprintOf(folded: string): number {
  return Number.parseInt(hash('sha256', folded).slice(0, 12), 16);
}

export function requestIdOf(fingerprint: number): string {
  const digits = fingerprint.toString(16).padStart(12, '0');
  const chance = randomUUID().slice(versionEnd, chanceEnd);
  return withDigest(`${digits.slice(0, 8)}-${digits.slice(8)}-8${chance}`);
}

/** Undefined for an identifier that is not of one of our searches. */
export function readFingerprint(requestId: string): number | undefined {
  const [, high, low] = pattern.exec(requestId) ?? [];
  if (high === undefined || withDigest(requestId.slice(0, -digestLength)) !== requestId) return undefined;
  return Number.parseInt(high + low, 16);
}
