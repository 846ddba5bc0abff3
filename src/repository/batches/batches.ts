/**
 * The record of batches: what was asked for, what runs and how far it is, what came of it.
 *
 * A node that runs one says so several times a second; one that falls silent has lost it, and whoever claims next goes on
 * where it stood. Attempts count from the last progress, so that a batch may outlive any number of restarts.
 */

import { sql } from 'kysely';
import { type Database, execute, query, queryRaw } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { type BatchName, peoplePerPart } from './batch-parts.ts';

/** One that is `filling` is still being asked for, and not shown. */
export type BatchState = 'filling' | 'queued' | 'running' | 'done' | 'cancelled' | 'failed';

export type Batch = {
  batchId: string;
  environment: string;
  state: BatchState;
  /** What was asked for, without ids of people: a JSON value. */
  request: unknown;
  /** Of the deployment; null when a caller asked. */
  schedule: string | null;
  /** Whether its people are stored. */
  isGathered: boolean;
  peopleCount: number;
  /** From 0; those before are answered. */
  nextPart: number;
  attempts: number;
  node: string | null;
  requestedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Null before the end. */
  expiresAt: Date | null;
  failure: string | null;
};

const batchShape: Shape<Batch> = {
  batchId: 'uuid',
  environment: 'text',
  state: 'text',
  request: 'json',
  schedule: 'text?',
  isGathered: 'bool',
  peopleCount: 'int4',
  nextPart: 'int4',
  attempts: 'int4',
  node: 'text?',
  requestedAt: 'timestamptz',
  startedAt: 'timestamptz?',
  endedAt: 'timestamptz?',
  expiresAt: 'timestamptz?',
  failure: 'text?',
};

const columnsText = `
  batch_id as "batchId", environment, state, request, schedule, is_gathered as "isGathered",
  people_count as "peopleCount", next_part as "nextPart", attempts, node, requested_at as "requestedAt",
  started_at as "startedAt", ended_at as "endedAt", expires_at as "expiresAt", failure`;
const columns = sql.raw(columnsText);

/** A batch is begun so often without getting further. */
const mostAttempts = 3;
/** A node that says nothing for so long has lost its batch. */
const silence = "interval '15 seconds'";
/** Times the attempts: before a batch that failed is begun again. */
const pauseAfterFailure = "interval '2 seconds'";
/** Whoever asks has stored its people by then, or has gone. */
const longestFilling = "interval '10 minutes'";
/** A moment of a schedule is made up for an hour (due-batches.ts), by clocks that may differ from this one. */
const longestDue = "interval '2 hours'";
/** Longest failure stored, in characters. */
const longestFailure = 500;

export type BatchWrite = Pick<Batch, 'batchId' | 'environment' | 'request'>;

/**
 * A batch whose people are to be stored now (`filling`) or gathered by whoever takes it (`queued`).
 * Returns false when so many of the environment wait or run already.
 */
export async function insertBatch(
  db: Database,
  { batchId, environment, request }: BatchWrite,
  state: 'filling' | 'queued',
  mostAtOnce: number,
): Promise<boolean> {
  const text = 'select insert_batch_below($1, $2, $3, $4, $5) as "isTaken"';
  const values = [mostAtOnce, batchId, environment, state, JSON.stringify(request)];
  const statement = { name: 'insert-batch', text, values };
  const [{ isTaken }] = await query<{ isTaken: boolean }>(db, statement, { isTaken: 'bool' });
  return isTaken;
}

/** What a schedule asks for at a moment; returns whether nobody else has asked for it. */
export async function insertDueBatch(
  db: Database,
  { batchId, environment, request }: BatchWrite,
  { schedule, dueAt }: { schedule: string; dueAt: Date },
): Promise<boolean> {
  const columns = { batch_id: batchId, environment, state: 'queued', schedule, due_at: dueAt };
  const { numInsertedOrUpdatedRows } = await db.kysely
    .insertInto('batches')
    .values({ ...columns, request: JSON.stringify(request) })
    .onConflict((conflict) => conflict.columns(['environment', 'schedule', 'due_at']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Its people are stored: it waits for a node now. */
export async function fillBatch(db: Database, batchId: string, peopleCount: number): Promise<void> {
  await db.kysely
    .updateTable('batches')
    .set({ state: 'queued', is_gathered: true, people_count: peopleCount })
    .where('batch_id', '=', batchId)
    .where('state', '=', 'filling')
    .execute();
}

/** Of one environment, so that nobody reads another's. */
export async function findBatch(
  db: Database,
  environment: string,
  batchId: string,
): Promise<Batch | undefined> {
  const statement = sql`
    select ${columns} from batches
    where environment = ${environment} and batch_id::text = ${batchId} and state <> 'filling'
      and coalesce(expires_at > now(), true)`;
  return (await queryRaw(db, statement, batchShape))[0];
}

/** Where a batch stands among all: when it was asked for, in microseconds since 1970, and its id. */
export type BatchKey = readonly [requestedAtUs: number, batchId: string];

export type ListedBatch = Batch & { requestedAtUs: number };

const listedShape: Shape<ListedBatch> = { ...batchShape, requestedAtUs: 'int8' };

/** Newest first, those after a place, whether or not its batch is still there. */
export async function listBatches(
  db: Database,
  environment: string,
  limit: number,
  after?: BatchKey,
): Promise<ListedBatch[]> {
  const isAfter = after
    ? sql`and (requested_at, batch_id) <
        ('epoch'::timestamptz + ${after[0]}::float8 * interval '1 microsecond', ${after[1]}::uuid)`
    : sql``;
  const statement = sql`
    select ${columns}, (extract(epoch from requested_at) * 1000000)::int8 as "requestedAtUs" from batches
    where environment = ${environment} and state <> 'filling' and coalesce(expires_at > now(), true) ${isAfter}
    order by requested_at desc, batch_id desc limit ${limit}`;
  return queryRaw(db, statement, listedShape);
}

/** Of those that wait, or were lost with their node: the one that has got least, so that batches take turns; the oldest of these. */
const claimStatement = `
update batches set state = 'running', node = $2, attempts = attempts + 1,
  heartbeat_at = clock_timestamp(), started_at = coalesce(started_at, clock_timestamp())
where batch_id = (
  select batch_id from batches
  where environment = any($1) and attempts < ${mostAttempts} and (
    state = 'queued' and coalesce(heartbeat_at <= clock_timestamp() - attempts * ${pauseAfterFailure}, true)
    or state = 'running' and heartbeat_at < clock_timestamp() - ${silence})
  order by next_part, requested_at, batch_id limit 1 for update skip locked
) returning ${columnsText}`;

/** Undefined when there is nothing to do. */
export async function claimBatch(
  db: Database,
  environments: readonly string[],
  node: string,
): Promise<Batch | undefined> {
  const values = [environments, node];
  return (await query(db, { name: 'claim-batch', text: claimStatement, values }, batchShape))[0];
}

export type Claim = Pick<Batch, 'batchId' | 'node'>;

const reportStatement = `
update batches set heartbeat_at = clock_timestamp(), next_part = greatest(next_part, $3),
  attempts = case when next_part < $3 then 1 else attempts end
where batch_id = $1 and node = $2 and state = 'running'`;

/** How far it is; false when it was cancelled, or taken by another node. */
export async function reportBatch(
  db: Database,
  { batchId, node }: Claim,
  nextPart: number,
): Promise<boolean> {
  const values = [batchId, node, nextPart];
  return (await execute(db, { name: 'report-batch', text: reportStatement, values })) > 0;
}

/** Nothing, once it was cancelled or taken by another node. */
function updateRunning({ kysely }: Database, { batchId, node }: Claim) {
  const batch = kysely.updateTable('batches').where('batch_id', '=', batchId);
  return batch.where('node', '=', node).where('state', '=', 'running');
}

/** Its people are stored by the node that runs it; false as above. */
export async function recordGathered(db: Database, claim: Claim, peopleCount: number): Promise<boolean> {
  const gathered = { is_gathered: true, people_count: peopleCount, attempts: 1 };
  const { numUpdatedRows } = await updateRunning(db, claim).set(gathered).executeTakeFirst();
  return numUpdatedRows === 1n;
}

export type BatchEnd = { state: 'done' | 'failed'; failure?: string };

/** @param lifetimeDays For which the results are kept from now on. */
export async function endBatch(
  db: Database,
  claim: Claim,
  { state, failure }: BatchEnd,
  lifetimeDays: number,
): Promise<void> {
  const end = { state, failure: failure?.slice(0, longestFailure) ?? null, ...ended(lifetimeDays) };
  await updateRunning(db, claim).set(end).execute();
}

/** It waits again: its turn is over, or its node stops. */
export async function returnBatch(db: Database, claim: Claim): Promise<void> {
  await updateRunning(db, claim).set({ state: 'queued', attempts: 0, heartbeat_at: null }).execute();
}

/** What a batch needs is away: it waits again as after a first try, as often as that takes. */
export async function postponeBatch(db: Database, claim: Claim): Promise<void> {
  await updateRunning(db, claim)
    .set({ state: 'queued', attempts: 1, heartbeat_at: sql<Date>`clock_timestamp()` })
    .execute();
}

/** A batch that broke off waits again, unless it has done so too often. */
export async function retryBatch(
  db: Database,
  claim: Claim,
  failure: string,
  lifetimeDays: number,
): Promise<void> {
  await updateRunning(db, claim)
    .set({ state: 'queued', heartbeat_at: sql<Date>`clock_timestamp()` })
    .where('attempts', '<', mostAttempts)
    .execute();
  await endBatch(db, claim, { state: 'failed', failure }, lifetimeDays);
}

/** Of one that has ended nothing changes; undefined when there is no such batch. */
export async function cancelBatch(
  db: Database,
  environment: string,
  batchId: string,
  lifetimeDays: number,
): Promise<Batch | undefined> {
  await db.kysely
    .updateTable('batches')
    .set({ state: 'cancelled', ...ended(lifetimeDays) })
    .where('environment', '=', environment)
    .where(({ eb, cast }) => eb(cast<string>('batch_id', 'text'), '=', batchId))
    .where('state', 'in', ['queued', 'running'])
    .execute();
  return findBatch(db, environment, batchId);
}

function ended(lifetimeDays: number) {
  return {
    ended_at: sql<Date>`clock_timestamp()`,
    expires_at: sql<Date>`clock_timestamp() + ${lifetimeDays}::float8 * interval '1 day'`,
  };
}

/** Ends what was lost with its node as often as it may be begun. */
export async function endLostBatches(db: Database, environment: string, lifetimeDays: number): Promise<void> {
  await db.kysely
    .updateTable('batches')
    .set({ state: 'failed', failure: 'The nodes that made it fell silent.', ...ended(lifetimeDays) })
    .where('environment', '=', environment)
    .where('state', '=', 'running')
    .where('attempts', '>=', mostAttempts)
    .where('heartbeat_at', '<', sql<Date>`clock_timestamp() - ${sql.raw(silence)}`)
    .execute();
}

/**
 * Those that are to be forgotten, oldest first; also what nobody finished asking for. One of a schedule stays until nobody could ask
 * for its moment again.
 */
export function listExpiredBatches({ kysely }: Database, limit: number): Promise<BatchName[]> {
  const isAbandoned = sql<boolean>`state = 'filling'
    and requested_at < clock_timestamp() - ${sql.raw(longestFilling)}`;
  return kysely
    .selectFrom('batches')
    .select(['environment', 'batch_id as batchId'])
    .where((batch) => batch.or([batch('expires_at', '<=', sql<Date>`now()`), isAbandoned]))
    .where(sql<boolean>`coalesce(due_at < clock_timestamp() - ${sql.raw(longestDue)}, true)`)
    .orderBy('requested_at')
    .limit(limit)
    .execute();
}

/** After its parts. */
export async function deleteBatch(db: Database, batchId: string): Promise<void> {
  await db.kysely.deleteFrom('batches').where('batch_id', '=', batchId).execute();
}

/** People who are answered, as far as it was told. */
export function answeredCountOf({ nextPart, peopleCount }: Pick<Batch, 'nextPart' | 'peopleCount'>): number {
  return Math.min(peopleCount, nextPart * peoplePerPart);
}
