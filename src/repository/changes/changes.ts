/**
 * The outbox of changes, a feed by bucket: each change is appended in the statement that makes it
 * (sql/changes.sql), so a reader that remembers its position misses none while they are kept.
 */

import { type Compilable, type RawBuilder, sql } from 'kysely';
import { bucketCountOf, findBucket, listBuckets } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { endsOf, type FeedEnd, listFeedEnds } from '../feeds.ts';

/** `webhook.test` and `changes.lost` are only sent to webhooks, never stored. */
export const changeKinds = [
  'items.changed',
  'configuration.published',
  'training.published',
  'training.refused',
  'import.failed',
  'batch.ready',
  'audience.ready',
  'experiment.decided',
  'interest.matched',
  'alert.raised',
  'alert.resolved',
  'webhook.test',
  'changes.lost',
] as const;

export type ChangeKind = (typeof changeKinds)[number];

export type Change = {
  changeId: string;
  /** Empty: all environments. */
  environment: string;
  kind: ChangeKind;
  /** A JSON object. */
  data: unknown;
  changedAt: Date;
};

export type StoredChange = Change & { bucket: number; number: number };

/** The last number that was read of each bucket. */
export type ChangePosition = readonly number[];

/** Returns the bucket that has the changes of an environment besides those of its items. */
export async function bucketOfChanges(
  db: Pick<Database, 'pool' | 'kysely'>,
  environment = '',
): Promise<number> {
  return findBucket(db, environment);
}

type AppendedChange = { bucket: number; kind: ChangeKind } & Record<
  'environment' | 'data',
  RawBuilder<unknown>
>;

/** Returns an expression that appends a change, for the `select` over the rows of what has changed. */
export function appendedChange({ bucket, environment, kind, data }: AppendedChange): RawBuilder<number> {
  return sql<number>`append_change(${bucket}::int, ${environment}, ${kind}::text, ${data})`;
}

/** Runs an update that returns rows, and appends the change of each. */
export async function selectAppended(
  { kysely }: Database,
  update: RawBuilder<unknown> | Compilable,
  change: RawBuilder<number>,
): Promise<void> {
  await kysely
    .with('changed', () => update as RawBuilder<{ change: number }>)
    .selectFrom('changed')
    .select(change.as('change'))
    .execute();
}

/** Returns the position behind the newest changes. */
export async function findChangeEnds(db: Database): Promise<number[]> {
  const ends = await listFeedEnds(db, 'changes', await listBuckets(db));
  return endsOf(ends, await bucketCountOf(db));
}

const startsStatement = `
select bucket, lane, coalesce(
  (select min(number) - 1 from changes where changes.bucket = feeds.bucket), last) as last
from feeds where bucket = any($1) and feed = 'changes'`;

/** Returns the position before the oldest changes that are kept. */
export async function findChangeStarts(db: Database): Promise<number[]> {
  const starts = await query<FeedEnd>(db, 'find-change-starts', startsStatement, [await listBuckets(db)]);
  return endsOf(starts, await bucketCountOf(db));
}

export type ChangesPage = {
  environment: string;
  /** Empty: all kinds. */
  kinds: readonly string[];
  bucket: number;
  /** Exclusive. */
  sinceNumber: number;
  /** Last number of the bucket, above `sinceNumber`. */
  end: number;
};

/** Changes read by one statement, also those of other environments and kinds. */
const changesPerPage = 200;

const listStatement = `
select bucket, number, environment, change_id as "changeId", kind, changed_at as "changedAt",
  case when (environment = $3 or (environment = '' and case json_typeof(data -> 'environments')
    when 'array' then json_array_length(data -> 'environments') = 0 or (data -> 'environments')::jsonb ? $3
    else true end)) and (kind = any($4) or cardinality($4::text[]) = 0) then data end as data
from changes where bucket = $1 and number > $2 order by number limit ${changesPerPage}`;

/**
 * Returns the changes of a page in order, and the number up to which it has read. `lostUntil` is the
 * last number of those after `sinceNumber` that were deleted; undefined for none.
 */
export async function listChanges(db: Database, page: ChangesPage) {
  const { bucket, sinceNumber, end, environment, kinds } = page;
  const values = [bucket, sinceNumber, environment, kinds];
  const rows = await query<StoredChange>(db, 'list-changes', listStatement, values);
  const lostUntil = (rows.at(0)?.number ?? end + 1) - 1;
  return {
    changes: rows.filter(({ data }) => data !== null),
    reached: rows.at(-1)?.number ?? end,
    lostUntil: lostUntil > sinceNumber ? lostUntil : undefined,
  };
}

const deletedAtOnce = 5_000;

const deleteStatement = `
delete from changes where bucket = $1 and changed_at < now() - $2 * interval '1 day' and number <= (
  select max(number) from (
    select number from changes where bucket = $1 order by number limit ${deletedAtOnce}) as oldest)`;

/** Deletes changes that are older than `days`, 5,000 of a bucket; returns `again` while there may be more. */
export async function deleteOldChanges(db: Database, days: number): Promise<'again' | undefined> {
  let most = 0;
  for (const bucket of await listBuckets(db))
    most = Math.max(most, await execute(db, 'delete-old-changes', deleteStatement, [bucket, days]));
  return most === deletedAtOnce ? 'again' : undefined;
}
