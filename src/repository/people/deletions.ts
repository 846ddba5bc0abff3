/**
 * Receipts of deletions: when, of what kind, how many rows, and marks of whom, which name nobody (marks.ts).
 *
 * A receipt is stored before anything is deleted and completed at the end. Every node follows completed ones by their number.
 * One that is stored and not completed is to be done: a database that was restored takes receipts that are younger than its
 * backup so, and replay-deletions.ts carries them out.
 */

import { sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { type Database, query, queryRaw } from '../database.ts';
import { nextLocalNumbers } from '../local-feeds.ts';
import type { Shape } from '../row-shape.ts';
import type { Counts } from './event-traces.ts';
import type { PersonKind } from './person.ts';

export type Deletion = {
  receiptId: string;
  environment: string;
  kind: PersonKind;
  /** Marks of the user or device, and of the user's devices. */
  subjects: string[];
  requestedAt: Date;
  /** Null while it is to be done. */
  completedAt: Date | null;
  /** Rows by kind. */
  deleted: Counts;
};

const columns = `receipt_id as "receiptId", environment, kind, subjects, requested_at as "requestedAt",
  completed_at as "completedAt", deleted`;

const deletionShape: Shape<Deletion> = {
  receiptId: 'uuid',
  environment: 'text',
  kind: 'text',
  subjects: 'text[]',
  requestedAt: 'timestamptz',
  completedAt: 'timestamptz?',
  deleted: 'json',
};

/** What a deletion is before anything is deleted. */
export type BegunDeletion = Pick<Deletion, 'receiptId' | 'environment' | 'kind' | 'subjects'>;

export async function insertDeletion(
  db: Database,
  { receiptId, environment, kind, subjects }: BegunDeletion,
): Promise<void> {
  await db.kysely
    .insertInto('deletions')
    .values({ receipt_id: receiptId, environment, kind, subjects })
    .execute();
}

/**
 * Others of the same user or device that have not ended are done with it. One of them may still run: its row is then made
 * again when it ends.
 */
export async function completeDeletion(
  db: Database,
  { receiptId, environment, kind, subjects }: BegunDeletion,
  deleted: Counts,
  actor: Actor = {},
): Promise<Deletion> {
  const statement = sql`
    with ${nextLocalNumbers('deletions', 1)},
    done as (
      insert into deletions (receipt_id, environment, kind, subjects, completed_at, deleted, number)
      select ${receiptId}::uuid, ${environment}, ${kind}, ${subjects}::text[], clock_timestamp(),
        ${JSON.stringify(deleted)}::json, taken.last
      from taken
      on conflict (receipt_id) do update
        set completed_at = excluded.completed_at, deleted = excluded.deleted, number = excluded.number
      returning ${sql.raw(columns)}
    ),
    superseded as (
      delete from deletions using done
      where deletions.completed_at is null and deletions.receipt_id <> done."receiptId"
        and deletions.environment = done.environment and deletions.kind = done.kind
        and deletions.subjects[1] = done.subjects[1]
    ),
    ${auditPart({
      ...actor,
      action: sql`kind || 's.delete'`,
      resource: sql`kind || 's/' || "receiptId"`,
      environment: sql`environment`,
      after: sql`deleted`,
      from: sql`done`,
    })}
    select * from done`;
  return (await queryRaw(db, statement, deletionShape))[0];
}

const followStatement = `
select number, environment, subjects from deletions where number > $1 order by number limit 1000`;

export type FollowedDeletion = Pick<Deletion, 'environment' | 'subjects'> & { number: number };

const followedShape: Shape<FollowedDeletion> = { number: 'int8', environment: 'text', subjects: 'text[]' };

/** Completed after another one, in the order of commit. */
export function listDeletionsAfter(db: Database, number: number): Promise<FollowedDeletion[]> {
  return query(db, { name: 'list-deletions-after', text: followStatement, values: [number] }, followedShape);
}

const endStatement = 'select coalesce(max(number), 0) as last from deletions';

export async function findLastDeletion(db: Database): Promise<number> {
  const rows = await query<{ last: number }>(
    db,
    { name: '', text: endStatement, values: [] },
    {
      last: 'int8',
    },
  );
  return rows[0].last;
}

/** Where a deletion stands among all: when it was requested, in microseconds since 1970, and its receipt. */
export type DeletionKey = readonly [requestedAtUs: number, receiptId: string];

export type ListedDeletion = Deletion & { requestedAtUs: number };

export type DeletionListing = {
  /** Requested at a moment or later. */
  since?: Date;
  /** Those after a place, whether or not its receipt is still there. */
  after?: DeletionKey;
  limit?: number;
};

/** Oldest first; for keeping beside a backup. */
export async function listDeletions(
  db: Database,
  { since = new Date(0), after, limit }: DeletionListing = {},
): Promise<ListedDeletion[]> {
  const text = `
    select ${columns}, (extract(epoch from requested_at) * 1000000)::int8 as "requestedAtUs" from deletions
    where requested_at >= $1 and ($3::uuid is null or (requested_at, receipt_id) >
      ('epoch'::timestamptz + $2::float8 * interval '1 microsecond', $3))
    order by requested_at, receipt_id limit $4`;
  const shape: Shape<ListedDeletion> = { ...deletionShape, requestedAtUs: 'int8' };
  return query(db, { name: '', text, values: [since, ...(after ?? [null, null]), limit ?? null] }, shape);
}

/** To be carried out. */
export async function listPendingDeletions(db: Database): Promise<Deletion[]> {
  const text = `select ${columns} from deletions where completed_at is null order by requested_at, receipt_id`;
  return query(db, { name: '', text, values: [] }, deletionShape);
}

/** A line as `personalisation people receipts` writes it. */
export function readReceipt(line: string): ForeignDeletion {
  const { receipt_id: receiptId, environment, kind, marks: subjects, request_time: time } = JSON.parse(line);
  const requestedAt = new Date(time);
  const isWhole = [receiptId, environment, kind].every((part) => typeof part === 'string');
  if (!isWhole || !Array.isArray(subjects) || Number.isNaN(requestedAt.getTime()))
    throw new DomainError('PARAMETER_INVALID', 'A line is no receipt of a deletion.');
  return { receiptId, environment, kind, subjects, requestedAt };
}

export type ForeignDeletion = Omit<Deletion, 'completedAt' | 'deleted'>;

/** Enters receipts that the database does not know, as ones to be done. */
export async function insertForeignDeletions(
  db: Database,
  deletions: readonly ForeignDeletion[],
): Promise<void> {
  for (const { receiptId, environment, kind, subjects, requestedAt } of deletions)
    await db.kysely
      .insertInto('deletions')
      .values({ receipt_id: receiptId, environment, kind, subjects, requested_at: requestedAt })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}
