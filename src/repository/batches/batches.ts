/**
 * Stores batches: the request, the progress and the outcome.
 *
 * A node sends several heartbeats a second for its batch. Without them it loses the batch, and the
 * next claim resumes it. Progress resets the attempts, so a batch survives any number of restarts.
 */

import { sql } from 'kysely';
import { appendedChange, bucketOfChanges, selectAppended } from '../changes/changes.ts';
import { type Database, query } from '../database.ts';
import { type PageKey, pageOf } from '../moments.ts';
import { type BatchName, subjectsPerPart } from './batch-parts.ts';

/** A `filling` batch is still receiving subjects and is hidden from clients. */
export type BatchState = 'filling' | 'queued' | 'running' | 'done' | 'cancelled' | 'failed';

export type Batch = {
  batchId: string;
  environment: string;
  state: BatchState;
  /** The request without subject ids: a JSON value. */
  request: unknown;
  /** Schedule of the deployment; null for a request by an API client. */
  schedule: string | null;
  isGathered: boolean;
  peopleCount: number;
  /** From 0; all earlier parts are complete. */
  nextPart: number;
  attempts: number;
  node: string | null;
  requestedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Null until the batch ends. */
  expiresAt: Date | null;
  failure: string | null;
};

const columns = [
  ...(['environment', 'state', 'request', 'schedule', 'attempts', 'node', 'failure'] as const),
  ...(['batch_id as batchId', 'is_gathered as isGathered', 'people_count as peopleCount'] as const),
  ...(['next_part as nextPart', 'requested_at as requestedAt', 'started_at as startedAt'] as const),
  ...(['ended_at as endedAt', 'expires_at as expiresAt'] as const),
] as const;

const now = sql<Date>`clock_timestamp()`;

const mostAttempts = 3;
/** A node without a heartbeat for this long loses its batch. */
const silence = sql`interval '15 seconds'`;
/** Delay before a failed batch is retried, multiplied by its attempts. */
const pauseAfterFailure = sql`interval '2 seconds'`;
/** Maximum time to store the subjects; afterwards the batch counts as abandoned. */
const longestFilling = sql`interval '10 minutes'`;
/** Exceeds the hour in which nodes catch up on schedules (due-batches.ts), for clock skew. */
const longestDue = sql`interval '2 hours'`;
const longestFailure = 500;

export type BatchWrite = Pick<Batch, 'batchId' | 'environment' | 'request'>;

/**
 * Inserts a batch whose subjects are stored next (`filling`) or gathered by its node (`queued`).
 * Returns false when the environment already has `mostAtOnce` batches waiting or running.
 */
export async function insertBatch(
  db: Database,
  { batchId, environment, request }: BatchWrite,
  state: 'filling' | 'queued',
  mostAtOnce: number,
): Promise<boolean> {
  const text = 'select insert_batch_below($1, $2, $3, $4, $5) as "isTaken"';
  const values = [mostAtOnce, batchId, environment, state, JSON.stringify(request)];
  const [{ isTaken }] = await query<{ isTaken: boolean }>(db, 'insert-batch', text, values);
  return isTaken;
}

/** Inserts the batch of a schedule's due time; returns false when it already exists. */
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

/** Queues a batch after its subjects are stored. */
export async function fillBatch(db: Database, batchId: string, peopleCount: number): Promise<void> {
  await db.kysely
    .updateTable('batches')
    .set({ state: 'queued', is_gathered: true, people_count: peopleCount })
    .where('batch_id', '=', batchId)
    .where('state', '=', 'filling')
    .execute();
}

const selectBatches = ({ kysely }: Database, environment: string) =>
  kysely
    .selectFrom('batches')
    .select(columns)
    .where('environment', '=', environment)
    .where('state', '<>', 'filling')
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .$narrowType<{ state: BatchState }>();

/** Finds a batch in one environment only, so that clients cannot read other environments. */
export function findBatch(db: Database, environment: string, batchId: string): Promise<Batch | undefined> {
  return selectBatches(db, environment).where(isBatch(batchId)).executeTakeFirst();
}

/** IDs come from callers and may be any text. */
const isBatch = (batchId: string) => sql<boolean>`batch_id::text = ${batchId}`;

export type ListedBatch = Batch & { requestedAtUs: number };

/** Lists batches after a key, newest first. The batch of the key may be deleted. */
export function listBatches(
  db: Database,
  environment: string,
  limit: number,
  after?: PageKey,
): Promise<ListedBatch[]> {
  return selectBatches(db, environment)
    .$call(pageOf({ time: 'requested_at', id: 'batch_id', as: 'requestedAtUs', after, limit }))
    .execute();
}

/** Claims the due batch with the least progress, for fairness; the oldest on a tie. */
export function claimBatch(
  { kysely }: Database,
  environments: readonly string[],
  node: string,
): Promise<Batch | undefined> {
  const due = kysely
    .selectFrom('batches')
    .select('batch_id')
    .where(
      sql<boolean>`environment = any(${environments}) and attempts < ${mostAttempts} and (
        state = 'queued' and coalesce(heartbeat_at <= clock_timestamp() - attempts * ${pauseAfterFailure}, true)
        or state = 'running' and heartbeat_at < clock_timestamp() - ${silence})`,
    )
    .orderBy('next_part')
    .orderBy('requested_at')
    .orderBy('batch_id')
    .limit(1)
    .forUpdate()
    .skipLocked();
  return kysely
    .updateTable('batches')
    .set({ state: 'running', node, attempts: sql<number>`attempts + 1`, heartbeat_at: now })
    .set({ started_at: sql<Date>`coalesce(started_at, clock_timestamp())` })
    .where('batch_id', '=', due)
    .returning(columns)
    .$narrowType<{ state: BatchState }>()
    .executeTakeFirst();
}

export type Claim = Pick<Batch, 'batchId' | 'environment' | 'node'>;

/** Updates the batch only while this node holds it. */
function updateRunning({ kysely }: Database, { batchId, node }: Claim) {
  const batch = kysely.updateTable('batches').where('batch_id', '=', batchId);
  return batch.where('node', '=', node).where('state', '=', 'running');
}

/** Stores progress and heartbeat; false when the batch was cancelled or claimed by another node. */
export async function reportBatch(db: Database, claim: Claim, nextPart: number): Promise<boolean> {
  const { numUpdatedRows } = await updateRunning(db, claim)
    .set({ heartbeat_at: now, next_part: sql<number>`greatest(next_part, ${nextPart}::int)` })
    .set({ attempts: sql<number>`case when next_part < ${nextPart}::int then 1 else attempts end` })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Records that the node has stored the subjects; false as for `reportBatch`. */
export async function recordGathered(db: Database, claim: Claim, peopleCount: number): Promise<boolean> {
  const gathered = { is_gathered: true, people_count: peopleCount, attempts: 1 };
  const { numUpdatedRows } = await updateRunning(db, claim).set(gathered).executeTakeFirst();
  return numUpdatedRows === 1n;
}

export type BatchEnd = { state: 'done' | 'failed'; failure?: string };

/** @param lifetimeDays Days that the results are kept from now on. */
export async function endBatch(
  db: Database,
  claim: Claim,
  { state, failure }: BatchEnd,
  lifetimeDays: number,
): Promise<void> {
  const end = { state, failure: failure?.slice(0, longestFailure) ?? null, ...ended(lifetimeDays) };
  const ending = updateRunning(db, claim).set(end).returning(['environment', 'batch_id', 'people_count']);
  if (state === 'failed') return void (await ending.execute());
  const change = appendedChange({
    bucket: await bucketOfChanges(db, claim.environment),
    environment: sql`environment`,
    kind: 'batch.ready',
    data: sql`json_build_object('batch_id', batch_id, 'subject_count', people_count)`,
  });
  await selectAppended(db, ending, change);
}

/** Requeues a batch at the end of its slice, or when its node stops. */
export async function returnBatch(db: Database, claim: Claim): Promise<void> {
  await updateRunning(db, claim).set({ state: 'queued', attempts: 0, heartbeat_at: null }).execute();
}

/** Requeues a batch while a dependency is unavailable: with a delay, and no limit of attempts. */
export async function postponeBatch(db: Database, claim: Claim): Promise<void> {
  await updateRunning(db, claim).set({ state: 'queued', attempts: 1, heartbeat_at: now }).execute();
}

/** Requeues a batch after an error, or fails it after the last attempt. */
export async function retryBatch(
  db: Database,
  claim: Claim,
  failure: string,
  lifetimeDays: number,
): Promise<void> {
  await updateRunning(db, claim)
    .set({ state: 'queued', heartbeat_at: now })
    .where('attempts', '<', mostAttempts)
    .execute();
  await endBatch(db, claim, { state: 'failed', failure }, lifetimeDays);
}

/** Cancels a batch unless it has ended; undefined when the batch does not exist. */
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
    .where(isBatch(batchId))
    .where('state', 'in', ['queued', 'running'])
    .execute();
  return findBatch(db, environment, batchId);
}

function ended(lifetimeDays: number) {
  return {
    ended_at: now,
    expires_at: sql<Date>`clock_timestamp() + ${lifetimeDays}::float8 * interval '1 day'`,
  };
}

/** Fails batches that lost their node on the last attempt. */
export async function endLostBatches(db: Database, environment: string, lifetimeDays: number): Promise<void> {
  await db.kysely
    .updateTable('batches')
    .set({ state: 'failed', failure: 'Its nodes stopped responding.', ...ended(lifetimeDays) })
    .where('environment', '=', environment)
    .where('state', '=', 'running')
    .where('attempts', '>=', mostAttempts)
    .where('heartbeat_at', '<', sql<Date>`clock_timestamp() - ${silence}`)
    .execute();
}

/** Lists expired and abandoned batches; scheduled ones until their due time has passed. */
export function listExpiredBatches({ kysely }: Database, limit: number): Promise<BatchName[]> {
  const isAbandoned = sql<boolean>`state = 'filling'
    and requested_at < clock_timestamp() - ${longestFilling}`;
  return kysely
    .selectFrom('batches')
    .select(['environment', 'batch_id as batchId'])
    .where((batch) => batch.or([batch('expires_at', '<=', sql<Date>`now()`), isAbandoned]))
    .where(sql<boolean>`coalesce(due_at < clock_timestamp() - ${longestDue}, true)`)
    .orderBy('requested_at')
    .limit(limit)
    .execute();
}

/** Deletes a batch; delete its parts first. */
export async function deleteBatch(db: Database, batchId: string): Promise<void> {
  await db.kysely.deleteFrom('batches').where('batch_id', '=', batchId).execute();
}

/** Returns the number of subjects with lists, by the last reported progress. */
export function countAnswered({ nextPart, peopleCount }: Pick<Batch, 'nextPart' | 'peopleCount'>): number {
  return Math.min(peopleCount, nextPart * subjectsPerPart);
}
