/** The latest queries of users and devices, for their own completions. Subjects are `u:USER` or `d:DEVICE`. */

import { sql } from 'kysely';
import { findBucket, forEachBucket, listBuckets } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { columnsOf } from '../encode-values.ts';

/** Days after the last search when a subject's queries are deleted. */
const keptDays = 90;

export type TypedQueries = {
  environment: string;
  subject: string;
  /** For a device: its last user; queries of another user are dropped. */
  linkedUser?: string;
  /** The latest first. */
  queries: readonly string[];
};

type SubjectKey = Pick<TypedQueries, 'environment' | 'subject'>;

const addStatement = 'select add_typed_queries($1, $2, $3, $4, $5)';

/** Adds queries; a subject may occur once. */
export async function addTypedQueries(db: Database, added: readonly TypedQueries[]): Promise<void> {
  const keyOf = ({ environment, subject }: SubjectKey): [string, string] => [environment, subject];
  await forEachBucket(db, added, keyOf, (bucket, ofBucket) => {
    const queries = ofBucket.map((one) => JSON.stringify(one.queries));
    const values = [bucket, ...columnsOf(ofBucket, 'environment', 'subject', 'linkedUser'), queries];
    return execute(db, 'add-typed-queries', addStatement, values);
  });
}

const findStatement = `
select linked_user as "linkedUser", queries from typed_queries
where bucket = $1 and environment = $2 and subject = $3`;

type FoundQueries = { linkedUser: string | null; queries: string[] };

/** Returns undefined when none are stored. */
export async function findTypedQueries(db: Database, key: SubjectKey): Promise<TypedQueries | undefined> {
  const { environment, subject } = key;
  const values = [await findBucket(db, environment, subject), environment, subject];
  const [row] = await query<FoundQueries>(db, 'find-typed-queries', findStatement, values);
  return row && { environment, subject, linkedUser: row.linkedUser ?? undefined, queries: row.queries };
}

/** Deletes the queries of subjects without a search for long. */
export async function deleteOldTypedQueries(db: Database): Promise<void> {
  for (const bucket of await listBuckets(db))
    await db.kysely
      .deleteFrom('typed_queries')
      .where('bucket', '=', bucket)
      .where('updated_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(keptDays)})`)
      .execute();
}
