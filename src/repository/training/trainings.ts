/**
 * The record of trainings: requested, running with their progress, and ended with their outcome.
 *
 * An environment has at most one queued and one running training, whatever the number of nodes: two
 * unique indexes enforce it. A node renews its lease on a running training every few seconds;
 * without that another node takes it over.
 */

import { type RawBuilder, sql } from 'kysely';
import { type Actor, auditInsert } from '../audit/audit-entries.ts';
import { appendedChange, bucketOfChanges, selectAppended } from '../changes/changes.ts';
import type { Database } from '../database.ts';
import { isTaken } from '../failures.ts';
import type { Position } from '../feeds.ts';
import type { BlendFigures } from './blend-figures.ts';

export type TrainingState = 'queued' | 'running' | 'published' | 'kept' | 'failed';

/** Why a training was requested. */
export type TrainingReason = 'first' | 'events' | 'items' | 'schedule' | 'demand';

export type Training = {
  trainingId: string;
  environment: string;
  reason: TrainingReason;
  state: TrainingState;
  attempts: number;
  /** The current or last stage; null before the first. */
  stage: string | null;
  /** 0 to 1. */
  progress: number;
  node: string | null;
  requestedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** A sentence: why the models were published or kept, or what failed. */
  decision: string | null;
  version: number | null;
  itemCount: number | null;
  eventCount: number | null;
  /** Held-back questions that both versions answered. */
  questionCount: number | null;
  /** Mean NDCG@20 of the trained models. */
  quality: number | null;
  /** Mean NDCG@20 of the models that were served. */
  servedQuality: number | null;
  /** Offsets in the feeds of events and items up to which it read. */
  eventsUntil: Position | null;
  itemsUntil: Position | null;
  /** Weights of its models; null when there was too little to learn from. */
  learntBlend: BlendFigures | null;
} & Record<HitCounts, number | null>;

/** Questions with a right item among the first 20, of the trained and of the served models. */
type HitCounts = 'hitCount' | 'servedHitCount';

export type TrainingOutcome = Pick<
  Training,
  | 'decision'
  | 'version'
  | 'itemCount'
  | 'eventCount'
  | 'questionCount'
  | 'quality'
  | 'servedQuality'
  | HitCounts
  | 'eventsUntil'
  | 'itemsUntil'
  | 'learntBlend'
> & { state: 'published' | 'kept' };

type Lease = Pick<Training, 'trainingId' | 'node'>;

const keptTrainings = 200;
const mostAttempts = 3;
/** Longest decision stored, in characters. */
const longestDecision = 500;

const now = sql<Date>`clock_timestamp()`;
/** A node without a heartbeat for so long has lost its training. */
const leaseStart = sql<Date>`clock_timestamp() - interval '60 seconds'`;
/** A training that failed or was lost is retried after a pause that grows with its attempts. */
const isPauseOver = sql<boolean>`coalesce(heartbeat_at <= clock_timestamp() - attempts * interval '2 seconds', true)`;

const columns = [
  'training_id as trainingId',
  ...(['environment', 'reason', 'state', 'attempts', 'stage', 'progress', 'node'] as const),
  ...(['requested_at as requestedAt', 'started_at as startedAt', 'ended_at as endedAt'] as const),
  ...(['decision', 'version', 'item_count as itemCount', 'event_count as eventCount'] as const),
  ...(['question_count as questionCount', 'quality', 'served_quality as servedQuality'] as const),
  ...(['hit_count as hitCount', 'served_hit_count as servedHitCount'] as const),
  ...(['events_until as eventsUntil', 'items_until as itemsUntil', 'learnt_blend as learntBlend'] as const),
] as const;

type NarrowColumns = Pick<Training, 'reason' | 'state' | 'eventsUntil' | 'itemsUntil' | 'learntBlend'>;

/** Queues a training, or returns the queued one; its reason becomes `demand` if this one is. */
export async function insertTraining(
  db: Database,
  environment: string,
  reason: TrainingReason,
  actor?: Actor,
): Promise<Training> {
  await deleteOldTrainings(db, environment);
  const insert = db.kysely
    .insertInto('trainings')
    .values({ environment, reason })
    .onConflict((conflict) =>
      conflict.column('environment').where('state', '=', 'queued').doUpdateSet({
        reason: sql`case when excluded.reason = 'demand' then 'demand' else trainings.reason end`,
      }),
    )
    .returning(columns)
    .$narrowType<NarrowColumns>();
  /** Trainings that the service requests itself are not audited. */
  if (!actor) return insert.executeTakeFirstOrThrow();
  const audit = auditInsert({
    ...actor,
    action: 'models.train',
    resource: sql`'models'`,
    environment: sql`environment`,
    after: sql`json_build_object('training_id', "trainingId")`,
    from: sql`saved`,
  });
  return db.kysely
    .with('saved', () => insert)
    .with('audited', () => audit)
    .selectFrom('saved')
    .selectAll()
    .executeTakeFirstOrThrow();
}

/**
 * Queues a training that was found due, unless another one was requested since the check: its end
 * may change what is due. Returns whether it was queued.
 */
export async function insertDueTraining(
  db: Database,
  environment: string,
  reason: TrainingReason,
  checkedAt: Date,
): Promise<boolean> {
  await deleteOldTrainings(db, environment);
  const inserted = await db.kysely
    .insertInto('trainings')
    .columns(['environment', 'reason'])
    .expression(
      db.kysely
        .selectNoFrom(({ val }) => [val(environment).as('environment'), val<string>(reason).as('reason')])
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('trainings')
                .select('training_id')
                .where('environment', '=', environment)
                .where('requested_at', '>', checkedAt)
                .where('requested_at', '<=', now),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

const selectTrainings = ({ kysely }: Database, environment: string) =>
  kysely
    .selectFrom('trainings')
    .select(columns)
    .where('environment', '=', environment)
    .$narrowType<NarrowColumns>();

/** IDs come from callers and may be any text. */
const isTraining = (trainingId: string) => sql<boolean>`training_id::text = ${trainingId}`;

export function findTraining(
  db: Database,
  environment: string,
  trainingId: string,
): Promise<Training | undefined> {
  return selectTrainings(db, environment).where(isTraining(trainingId)).executeTakeFirst();
}

/** Lists trainings after another one, the newest first. Old ones are deleted; after a deleted one there is nothing. */
export function listTrainings(
  db: Database,
  environment: string,
  limit: number,
  afterTrainingId?: string,
): Promise<Training[]> {
  const isAfter = sql<boolean>`(requested_at, training_id) < (
    select requested_at, training_id from trainings where training_id::text = ${afterTrainingId}
  )`;
  return selectTrainings(db, environment)
    .$if(afterTrainingId !== undefined, (trainings) => trainings.where(isAfter))
    .orderBy('requested_at', 'desc')
    .orderBy('training_id', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Starts the oldest queued training of these environments, if none of its environment is running
 * and its pause is over. Returns undefined when there is none.
 */
export async function claimTraining(
  db: Database,
  environments: readonly string[],
  node: string,
): Promise<Training | undefined> {
  const start = { state: 'running', node, stage: null, progress: 0, started_at: now, heartbeat_at: now };
  const claim = db.kysely
    .updateTable('trainings')
    .set(({ eb }) => ({ ...start, attempts: eb('attempts', '+', 1) }))
    .where('training_id', '=', ({ selectFrom }) =>
      selectFrom('trainings as waiting')
        .select('training_id')
        .where('state', '=', 'queued')
        .where(sql<boolean>`environment = any(${environments})`)
        .where(isPauseOver)
        .where(({ not, exists, selectFrom: selectOther }) =>
          not(
            exists(
              selectOther('trainings as other')
                .select('training_id')
                .whereRef('other.environment', '=', 'waiting.environment')
                .where('other.state', '=', 'running'),
            ),
          ),
        )
        .orderBy('requested_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(columns)
    .$narrowType<NarrowColumns>();
  try {
    return await claim.executeTakeFirst();
  } catch (error) {
    /** Another node has started one of the environment. */
    if (isTaken(error)) return undefined;
    throw error;
  }
}

const updateLease = ({ kysely }: Database, { trainingId, node }: Lease) =>
  kysely
    .updateTable('trainings')
    .where('training_id', '=', trainingId)
    .where('state', '=', 'running')
    .where('node', '=', node);

/** Renews the lease and stores the progress. Returns false when the training was given to another node. */
export async function reportTraining(
  db: Database,
  lease: Lease,
  stage: string | null,
  progress: number,
): Promise<boolean> {
  const { numUpdatedRows } = await updateLease(db, lease)
    .set({ stage, progress: sql`greatest(progress, ${progress}::float4)`, heartbeat_at: now })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function endTraining(
  db: Database,
  lease: Lease & Pick<Training, 'environment'>,
  outcome: TrainingOutcome,
): Promise<void> {
  const bucket = await bucketOfChanges(db, lease.environment);
  const ended = updateLease(db, lease)
    .set({
      ...{ state: outcome.state, decision: outcome.decision, version: outcome.version },
      ...{ progress: 1, ended_at: now, item_count: outcome.itemCount, event_count: outcome.eventCount },
      ...{ question_count: outcome.questionCount, quality: outcome.quality },
      served_quality: outcome.servedQuality,
      ...{ hit_count: outcome.hitCount, served_hit_count: outcome.servedHitCount },
      events_until: JSON.stringify(outcome.eventsUntil),
      items_until: JSON.stringify(outcome.itemsUntil),
      learnt_blend: outcome.learntBlend && JSON.stringify(outcome.learntBlend),
    })
    .returning(['environment', 'training_id', 'version', 'decision']);
  const change = appendedChange({
    ...{ bucket, environment: sql`environment` },
    kind: outcome.state === 'published' ? 'training.published' : 'training.refused',
    data: sql`json_build_object('training_id', training_id, 'version', version, 'decision', decision)`,
  });
  await selectAppended(db, ended, change);
}

/**
 * Returns a running training to the queue, or ends it when it has failed too often or its
 * environment has another one queued. Returns whether it is queued again.
 *
 * @param isInterrupted The node stopped, which does not count as an attempt.
 */
export async function giveBackTraining(
  db: Database,
  lease: Lease,
  { message, isInterrupted }: { message: string; isInterrupted: boolean },
): Promise<boolean> {
  const given = await updateLease(db, lease)
    .set({ ...givenBack(isInterrupted ? 1 : 0), decision: message.slice(0, longestDecision) })
    .returning('state')
    .executeTakeFirst();
  return given?.state === 'queued';
}

/** Returns the trainings of silent nodes to the queue; returns the IDs of those that are queued again. */
export async function giveBackLostTrainings(db: Database): Promise<string[]> {
  const given = await db.kysely
    .updateTable('trainings')
    .set({ ...givenBack(0), decision: 'Its node stopped responding.' })
    .where('state', '=', 'running')
    .where('heartbeat_at', '<', leaseStart)
    .returning(['training_id as trainingId', 'state'])
    .execute();
  return given.filter(({ state }) => state === 'queued').map(({ trainingId }) => trainingId);
}

/** Another training queued at this moment fails the statement; the next sweep ends it. */
function givenBack(forgivenAttempts: number) {
  const attempts = sql`attempts - ${sql.lit(forgivenAttempts)}` as RawBuilder<number>;
  const isRetried = sql`${attempts} < ${sql.lit(mostAttempts)} and not exists (
    select from trainings as other where other.environment = trainings.environment and other.state = 'queued'
  )`;
  return {
    attempts,
    state: sql`case when ${isRetried} then 'queued' else 'failed' end` as RawBuilder<string>,
    ended_at: sql<Date>`case when ${isRetried} then null else clock_timestamp() end`,
  };
}

async function deleteOldTrainings({ kysely }: Database, environment: string): Promise<void> {
  const ofEnvironment = kysely.selectFrom('trainings').where('environment', '=', environment);
  const newest = ofEnvironment.select('requested_at').orderBy('requested_at', 'desc');
  await kysely
    .deleteFrom('trainings')
    .where('ended_at', 'is not', null)
    .where('environment', '=', environment)
    .where('requested_at', '<', newest.offset(keptTrainings - 1).limit(1))
    .execute();
}
