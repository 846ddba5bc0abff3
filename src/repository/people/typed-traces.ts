/** What somebody searched for: by the user, by a device that nobody in particular used, and by any that the user used last. */

import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { type Person, subjectsOf, valuesOf } from './person.ts';

const theirs = `
  where bucket = $1 and environment = $2
    and (subject = any($3) and ($4 or linked_user is null) or linked_user = any($5))`;

async function inEachBucket<Row>(
  db: Database,
  person: Person,
  text: string,
  shape: Shape<Row>,
): Promise<Row[]> {
  const [users, , isWhole] = valuesOf(person);
  const found: Row[] = [];
  for (const bucket of await listBuckets(db)) {
    const values = [bucket, person.environment, subjectsOf(person), isWhole, users];
    found.push(...(await query(db, { name: '', text, values }, shape)));
  }
  return found;
}

/** Returns how many rows. */
export async function deleteTyped(db: Database, person: Person): Promise<number> {
  const text = `with gone as (delete from typed_queries ${theirs} returning 1) select count(*) from gone`;
  const counts = await inEachBucket<{ count: number }>(db, person, text, { count: 'int8' });
  return counts.reduce((sum, { count }) => sum + count, 0);
}

type TypedRow = { subject: string; queries: string[]; time: Date };

export async function listTyped(db: Database, person: Person): Promise<object[]> {
  const text = `select subject, queries, updated_at as time from typed_queries ${theirs} order by subject`;
  const shape: Shape<TypedRow> = { subject: 'text', queries: 'text[]', time: 'timestamptz' };
  const rows = await inEachBucket(db, person, text, shape);
  return rows.map(({ subject, ...typed }) => ({
    ...(subject.startsWith('u:') ? { user_id: subject.slice(2) } : { device_id: subject.slice(2) }),
    ...typed,
  }));
}
