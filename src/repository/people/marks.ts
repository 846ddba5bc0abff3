/**
 * Pseudonyms (marks) of subjects: a given subject can be recognised by its mark, and no subject can
 * be derived from one.
 *
 * A mark is a short fingerprint, which is computed quickly, and a digest, which tells apart
 * subjects that share the fingerprint. Both are keyed by a secret of the database, which travels
 * with its backups.
 */

import { hash, randomBytes } from 'node:crypto';
import { bucketOf } from '../buckets.ts';
import type { Database } from '../database.ts';
import { findSetting } from '../settings.ts';

/** In `settings` from the first start on, so that a backup taken before the first deletion has it, too. */
export const keySetting = 'people_key';
const printLength = 4;
const prints = 16 ** printLength;

export const makeKey = (): string => randomBytes(32).toString('base64url');

export type Marker = {
  /** @param subject `u:USER` or `d:DEVICE`. */
  markOf(environment: string, subject: string): string;
  /** Returns whether a subject has one of the marks; others cost a fraction of a microsecond. */
  among(marks: Iterable<string>): (environment: string, subject: string) => boolean;
};

export async function createMarker(db: Database): Promise<Marker> {
  const key = (await findSetting(db, keySetting)) as string;
  const printOf = (environment: string, subject: string) =>
    bucketOf(prints, key, environment, subject).toString(16).padStart(printLength, '0');
  const markOf = (environment: string, subject: string) =>
    printOf(environment, subject) + hash('sha256', JSON.stringify([key, environment, subject]));
  return {
    markOf,
    among(marks) {
      const wanted = new Set(marks);
      const wantedPrints = new Set(Array.from(wanted, (mark) => mark.slice(0, printLength)));
      return (environment, subject) =>
        wantedPrints.has(printOf(environment, subject)) && wanted.has(markOf(environment, subject));
    },
  };
}
