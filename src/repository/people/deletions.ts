/**
 * Receipts of deletions: time, kind of subject, numbers of rows, and pseudonyms of the subjects
 * (marks.ts).
 *
 * A receipt is stored before anything is deleted and completed at the end. Every node follows
 * completed receipts by number. A receipt that is not completed is pending. A restored database
 * takes receipts that are younger than its backup as pending, and replay-deletions.ts carries them
 * out.
 */

import { sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import type { SubjectKind } from '../../ranking/subject.ts';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';
import { nextLocalNumbers } from '../feeds.ts';
import { microsecondsOf, momentOf, type PageKey } from '../moments.ts';
import { createMarker } from './marks.ts';
import type { Counts } from './personal-rows.ts';

export type Deletion = {
  receiptId: string;
  environment: string;
  kind: SubjectKind;
  /** Pseudonyms of the user or device, and of the user's devices. */
  subjects: string[];
  requestedAt: Date;
  /** Null while it is pending. */
  completedAt: Date | null;
  /** Numbers of rows by kind. */
  deleted: Counts;
};

/** A deletion before anything is deleted. */
type BegunDeletion = Pick<Deletion, 'receiptId' | 'environment' | 'kind' | 'subjects'>;

export type ForeignDeletion = Omit<Deletion, 'completedAt' | 'deleted'>;

const selectDeletions = ({ kysely }: Database) =>
  kysely
    .selectFrom('deletions')
    .select(['receipt_id as receiptId', 'environment', 'kind', 'subjects'])
    .select(['requested_at as requestedAt', 'completed_at as completedAt', 'deleted'])
    .orderBy('requested_at')
    .orderBy('receipt_id')
    .$narrowType<{ kind: SubjectKind; deleted: Counts }>();

/** Stores a pending deletion. Does nothing when its receipt is known, as when receipts are replayed. */
export async function insertDeletion(
  db: Database,
  { receiptId, requestedAt, ...deletion }: BegunDeletion & { requestedAt?: Date },
): Promise<void> {
  await db.kysely
    .insertInto('deletions')
    .values({ receipt_id: receiptId, requested_at: requestedAt, ...deletion })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Completes a deletion, and with it pending ones of the same user or device. One of those may still
 * run; its row is then inserted again when it ends.
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
      returning receipt_id as "receiptId", environment, kind, subjects, requested_at as "requestedAt",
        completed_at as "completedAt", deleted
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
  const [completed] = await queryRaw<Deletion>(db, statement);
  return completed;
}

/** Lists completed deletions after a number, in the order of commit. */
export function listDeletionsAfter(
  db: Database,
  number: number,
): Promise<(Pick<Deletion, 'environment' | 'subjects'> & { number: number })[]> {
  return db.kysely
    .selectFrom('deletions')
    .select(['number', 'environment', 'subjects'])
    .where('number', '>', number)
    .orderBy('number')
    .limit(1_000)
    .$narrowType<{ number: number }>()
    .execute();
}

/** Returns the number of the last completed deletion, 0 before the first. */
export async function findLastDeletion(db: Database): Promise<number> {
  const last = db.kysely.selectFrom('deletions').select(({ fn }) => fn.max('number').as('number'));
  return (await last.executeTakeFirst())?.number ?? 0;
}

export type ListedDeletion = Deletion & { requestedAtUs: number };

/** Lists deletions, the oldest first; `after` need not exist any more. */
export async function listDeletions(
  db: Database,
  { since = new Date(0), after, limit }: { since?: Date; after?: PageKey; limit?: number } = {},
): Promise<ListedDeletion[]> {
  let listed = selectDeletions(db)
    .select(({ cast }) => cast<number>(microsecondsOf('requested_at'), 'bigint').as('requestedAtUs'))
    .where('requested_at', '>=', since);
  if (after)
    listed = listed.where(
      sql<boolean>`(requested_at, receipt_id) > (${momentOf(after[0])}, ${after[1]}::uuid)`,
    );
  return (limit === undefined ? listed : listed.limit(limit)).execute();
}

export function listPendingDeletions(db: Database): Promise<Deletion[]> {
  return selectDeletions(db).where('completed_at', 'is', null).execute();
}

/** A pending deletion is still running for so long; an older one has failed, and may be repeated or not. */
const longestRunning = sql.raw("interval '1 hour'");

/**
 * Finds deletions that ran while subjects were listed for data that is stored afterwards: such a
 * deletion may have scanned the data before it was stored. Callers that store subjects check
 * afterwards, and erase those that were deleted.
 *
 * @param last Number of the last deletion before the subjects were listed.
 * @returns Whether a subject (`u:USER`, `d:DEVICE`) was deleted; undefined when there were no
 *   deletions.
 */
export async function findGoneSince(
  db: Database,
  environment: string,
  last: number,
): Promise<((subject: string) => boolean) | undefined> {
  const deletions = await db.kysely
    .selectFrom('deletions')
    .select('subjects')
    .where('environment', '=', environment)
    .where(
      sql<boolean>`(number > ${last} or completed_at is null and requested_at > now() - ${longestRunning})`,
    )
    .execute();
  if (deletions.length === 0) return undefined;
  const { among } = await createMarker(db);
  const isGone = among(deletions.flatMap(({ subjects }) => subjects));
  return (subject) => isGone(environment, subject);
}

/** Parses a line that `personalisation people receipts` wrote. */
export function readReceipt(line: string): ForeignDeletion {
  const { receipt_id: receiptId, environment, kind, marks: subjects, request_time: time } = JSON.parse(line);
  const requestedAt = new Date(time);
  const isWhole = [receiptId, environment, kind].every((part) => typeof part === 'string');
  if (!isWhole || !Array.isArray(subjects) || Number.isNaN(requestedAt.getTime()))
    throw new DomainError('PARAMETER_INVALID', 'A line is not a receipt of a deletion.');
  return { receiptId, environment, kind, subjects, requestedAt };
}
