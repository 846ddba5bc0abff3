/**
 * Search identifiers: UUIDs of version 8 that begin with the fingerprint of the query.
 *
 *   fingerprint (48 bits) · 8 · random (12 bits) · variant (2 bits) · random (30 bits) · digest (32 bits, see answer-id.ts)
 *
 * An event with the identifier counts for its query on any node and after any restart, without a
 * stored search. The digest tells the service's identifiers from a caller's own; forging one gains
 * no more than sending false clicks does.
 */
import { hash, randomUUID } from 'node:crypto';
import { withDigest } from '../../lists/answer-id.ts';
import { foldTitle } from '../search.ts';

/** Characters of a query that are read. */
const longestText = 1_024;

const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const digestLength = 8;
/**
 * Offsets in a UUID of the end of its version, and of the digest. Its random bits are drawn ahead,
 * at a tenth of the cost.
 */
const versionEnd = 15;
const chanceEnd = 28;

/**
 * Returns the form that different spellings of a query share; empty for a query without letters,
 * digits and signs.
 */
export function foldQuery(query: string): string {
  return foldTitle(query.slice(0, longestText));
}

/** Returns 48 bits of a hash of a folded query. */
export function fingerprintOf(folded: string): number {
  return Number.parseInt(hash('sha256', folded).slice(0, 12), 16);
}

export function requestIdOf(fingerprint: number): string {
  const digits = fingerprint.toString(16).padStart(12, '0');
  const chance = randomUUID().slice(versionEnd, chanceEnd);
  return withDigest(`${digits.slice(0, 8)}-${digits.slice(8)}-8${chance}`);
}

/** Returns undefined for identifiers that the service did not make. */
export function readFingerprint(requestId: string): number | undefined {
  const [, high, low] = pattern.exec(requestId) ?? [];
  if (high === undefined || withDigest(requestId.slice(0, -digestLength)) !== requestId) return undefined;
  return Number.parseInt(high + low, 16);
}
