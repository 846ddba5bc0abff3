/**
 * Who was deleted while people were listed for something that is kept: a deletion may have looked through what is kept before
 * it was stored. Whoever stores people asks afterwards, and forgets these again.
 */

import { type Database, query } from '../database.ts';
import { createMarker } from './marks.ts';

/** Deletions that have not ended are running; one of earlier has broken off, and is repeated or not. */
const longestRunning = "interval '1 hour'";

const statement = `
select subjects from deletions
where environment = $1 and (number > $2 or completed_at is null and requested_at > now() - ${longestRunning})`;

/**
 * @param last Number of the last deletion before anybody was listed (deletions.ts).
 * @returns whether a subject (`u:USER`, `d:DEVICE`) is one of them; undefined when there are none
 */
export async function findGoneSince(
  db: Database,
  environment: string,
  last: number,
): Promise<((subject: string) => boolean) | undefined> {
  const values = [environment, last];
  const rows = await query<{ subjects: string[] }>(
    db,
    { name: 'find-gone-since', text: statement, values },
    { subjects: 'text[]' },
  );
  if (rows.length === 0) return undefined;
  const { among } = await createMarker(db);
  const isGone = among(rows.flatMap(({ subjects }) => subjects));
  return (subject) => isGone(environment, subject);
}
