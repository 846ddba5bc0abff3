/** Releases of the tables: the release that a migration came with. */

import type pg from 'pg';
import { queryOn } from './database.ts';

/** Each release that had migrations, with the last of them, oldest first. */
const releases: readonly { release: string; last: string }[] = [
  { release: '0.1.0', last: '018-typed-queries' },
];

/** The release under way, as the CHANGELOG names it. */
export const currentRelease = '0.2.0';

/** Returns the oldest release with this migration of ours; migrations are ordered by name. */
export function releaseOf(migration: string): string {
  return releases.find(({ last }) => migration <= last)?.release ?? currentRelease;
}

/** In `settings`: the oldest release that can use the tables. */
export const releaseSetting = 'release';

/** Returns undefined for tables of 0.1.0, which do not record it. */
export async function findRelease(client: Pick<pg.ClientBase, 'query'>): Promise<string | undefined> {
  const text = `select value #>> '{}' as release from settings where key = $1`;
  return (await queryOn<{ release: string }>(client, text, [releaseSetting]))[0]?.release;
}

/**
 * Describes data that this release cannot use.
 *
 * @param release Undefined for data that does not record it.
 */
export function needsNewer(what: string, release: string | undefined, migrations: string[]): string {
  const needed = release ? `${release} or newer` : `a newer release, with ${migrations.join(', ')}`;
  return `The ${what} needs ${needed}; this is ${currentRelease}. Use that version.`;
}
