/**
 * The record of trainings: what was asked for, what runs and how far it is, what came of it.
 *
 * An environment has at most one training queued and at most one running, whatever the number of nodes: two unique indexes see
 * to it. A node that runs one says so every few seconds; one that falls silent has lost it.
 */

import { sql } from 'kysely';
import type { DomainError } from '../../errors.ts';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { type Database, execute, query, queryRaw } from '../database.ts';
import type { Position } from '../feeds.ts';
import type { Shape } from '../row-shape.ts';

export type TrainingState = 'queued' | 'running' | 'published' | 'kept' | 'failed';

/** Why somebody or something asked for it. */
export type TrainingReason = 'first' | 'events' | 'items' | 'schedule' | 'demand';

export type Training = {
  trainingId: string;
  environment: string;
  reason: TrainingReason;
  state: TrainingState;
  attempts: number;
  /** What is done at the moment, or was done last; null before the first. */
  stage: string | null;
  /** 0 to 1. */
  progress: number;
  node: string | null;
  requestedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Why the models were published or kept, or what failed: a sentence. */
  decision: string | null;
  /** Of the published models. */
  version: number | null;
  itemCount: number | null;
  eventCount: number | null;
  /** Held-back questions that both versions were asked. */
  questionCount: number | null;
  /** Mean NDCG@20 of the trained models. */
  quality: number | null;
  /** The same of the models that were in use. */
  servedQuality: number | null;
  /** What was read of the feeds of events and items. */
  eventsUntil: Position | null;
  itemsUntil: Position | null;
  /** How its models are blended; null when too little was known to learn from. */
  learntBlend: BlendFigures | null;
};

/** What each model weighs and is worth, by model name. Qualities are mean NDCG@20 over held-back questions. */
export type BlendFigures = {
  questionCount: number;
  quality: number;
  models: Readonly<Record<string, { weight: number; alone: number; without: number }>>;
  /** Weights by page type that has its own, then by model. */
  pageTypes: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

const trainingShape: Shape<Training> = {
  trainingId: 'uuid',
  environment: 'text',
  reason: 'text',
  state: 'text',
  attempts: 'int4',
  stage: 'text?',
  progress: 'float4',
  node: 'text?',
  requestedAt: 'timestamptz',
  startedAt: 'timestamptz?',
  endedAt: 'timestamptz?',
  decision: 'text?',
  version: 'int4?',
  itemCount: 'int4?',
  eventCount: 'int4?',
  questionCount: 'int4?',
  quality: 'float8?',
  servedQuality: 'float8?',
  eventsUntil: 'json?',
  itemsUntil: 'json?',
  learntBlend: 'json?',
};

/** What a training came to, besides its state. */
export type TrainingOutcome = Pick<
  Training,
  | 'decision'
  | 'version'
  | 'itemCount'
  | 'eventCount'
  | 'questionCount'
  | 'quality'
  | 'servedQuality'
  | 'eventsUntil'
  | 'itemsUntil'
  | 'learntBlend'
> & { state: 'published' | 'kept' };

/** Trainings kept of an environment. */
const keptTrainings = 200;
/** A training is begun so often at most. */
const mostAttempts = 3;
/** A node that says nothing for so long has lost what it trained. */
const silence = "interval '60 seconds'";
/** Times the attempts: before a training that failed or was lost is begun again. */
const pauseAfterFailure = "interval '2 seconds'";
/** Longest decision stored, in characters. */
const longestDecision = 500;

const columnsText = `
  training_id as "trainingId", environment, reason, state, attempts, stage, progress, node,
  requested_at as "requestedAt", started_at as "startedAt", ended_at as "endedAt", decision, version,
  item_count as "itemCount", event_count as "eventCount", question_count as "questionCount", quality,
  served_quality as "servedQuality", events_until as "eventsUntil", items_until as "itemsUntil",
  learnt_blend as "learntBlend"`;
const columns = sql.raw(columnsText);

/** The environment's queued training: a new one, or the one that waits already, which is then somebody's demand too. */
export async function insertTraining(
  db: Database,
  environment: string,
  reason: TrainingReason,
  actor?: Actor,
): Promise<Training> {
  await deleteOldTrainings(db, environment);
  const insert = sql`
    insert into trainings (environment, reason) values (${environment}, ${reason})
    on conflict (environment) where state = 'queued' do update
      set reason = case when excluded.reason = 'demand' then 'demand' else trainings.reason end
    returning ${columns}`;
  const audited = sql`with saved as (${insert}), ${auditPart({
    ...actor,
    action: 'models.train',
    resource: sql`'models'`,
    environment: sql`environment`,
    after: sql`json_build_object('training_id', "trainingId")`,
    from: sql`saved`,
  })} select * from saved`;
  /** What the service does by itself is in the record of trainings alone. */
  return (await queryRaw(db, actor ? audited : insert, trainingShape))[0];
}

/**
 * A training that was found due; none when another one was asked for since the look, whose end would make it another matter.
 * Returns whether it was asked for now.
 */
export async function insertDueTraining(
  db: Database,
  environment: string,
  reason: TrainingReason,
  lookedAt: Date,
): Promise<boolean> {
  await deleteOldTrainings(db, environment);
  const { numAffectedRows } = await sql`
    insert into trainings (environment, reason)
    select ${environment}, ${reason} where not exists (
      select from trainings where environment = ${environment}
        and requested_at > ${lookedAt} and requested_at <= clock_timestamp()
    )
    on conflict do nothing`.execute(db.kysely);
  return numAffectedRows === 1n;
}

/** Of one environment, so that nobody reads another's. */
export async function findTraining(
  db: Database,
  environment: string,
  trainingId: string,
): Promise<Training | undefined> {
  const statement = sql`
    select ${columns} from trainings
    where environment = ${environment} and training_id::text = ${trainingId}`;
  return (await queryRaw(db, statement, trainingShape))[0];
}

/** Newest first, those after another. Old ones are forgotten: after one that is forgotten there is nothing either. */
export async function listTrainings(
  db: Database,
  environment: string,
  limit: number,
  afterTrainingId?: string,
): Promise<Training[]> {
  const isAfter = sql`and (requested_at, training_id) < (
    select requested_at, training_id from trainings where training_id::text = ${afterTrainingId}
  )`;
  const statement = sql`
    select ${columns} from trainings where environment = ${environment} ${afterTrainingId === undefined ? sql`` : isAfter}
    order by requested_at desc, training_id desc limit ${limit}`;
  return queryRaw(db, statement, trainingShape);
}

/** A training whose environment is being trained waits; so does one that was given back, longer each time. */
const claimStatement = `
update trainings set state = 'running', node = $2, attempts = attempts + 1, stage = null, progress = 0,
  started_at = clock_timestamp(), heartbeat_at = clock_timestamp()
where training_id = (
  select training_id from trainings as waiting
  where state = 'queued' and environment = any($1)
    and coalesce(heartbeat_at <= clock_timestamp() - attempts * ${pauseAfterFailure}, true)
    and not exists (
      select from trainings as other where other.environment = waiting.environment and other.state = 'running'
    )
  order by requested_at limit 1 for update skip locked
) returning ${columnsText}`;

/** Another node was faster: it runs one of the environment. */
const uniqueViolation = '23505';

/** Begins the oldest training of these environments that waits; undefined when there is nothing to begin. */
export async function claimTraining(
  db: Database,
  environments: readonly string[],
  node: string,
): Promise<Training | undefined> {
  try {
    const values = [environments, node];
    return (await query(db, { name: 'claim-training', text: claimStatement, values }, trainingShape))[0];
  } catch (error) {
    if (((error as DomainError).cause as { code?: string } | undefined)?.code === uniqueViolation)
      return undefined;
    throw error;
  }
}

const reportStatement = `
update trainings set stage = $2, progress = greatest(progress, $3), heartbeat_at = clock_timestamp()
where training_id = $1 and state = 'running' and node = $4`;

/** How far it is; false when it was given to somebody else meanwhile. */
export async function reportTraining(
  db: Database,
  { trainingId, node }: Pick<Training, 'trainingId' | 'node'>,
  stage: string | null,
  progress: number,
): Promise<boolean> {
  const values = [trainingId, stage, progress, node];
  return (await execute(db, { name: 'report-training', text: reportStatement, values })) > 0;
}

export async function endTraining(
  db: Database,
  { trainingId, node }: Pick<Training, 'trainingId' | 'node'>,
  outcome: TrainingOutcome,
): Promise<void> {
  await db.kysely
    .updateTable('trainings')
    .set({
      state: outcome.state,
      progress: 1,
      ended_at: sql<Date>`clock_timestamp()`,
      decision: outcome.decision,
      version: outcome.version,
      item_count: outcome.itemCount,
      event_count: outcome.eventCount,
      question_count: outcome.questionCount,
      quality: outcome.quality,
      served_quality: outcome.servedQuality,
      events_until: JSON.stringify(outcome.eventsUntil),
      items_until: JSON.stringify(outcome.itemsUntil),
      learnt_blend: outcome.learntBlend && JSON.stringify(outcome.learntBlend),
    })
    .where('training_id', '=', trainingId)
    .where('state', '=', 'running')
    .where('node', '=', node)
    .execute();
}

/**
 * Gives a running training back to the queue, or ends it when it has failed too often or another one of its environment
 * waits already; returns whether it waits again.
 *
 * @param isInterrupted The node stopped, which does not count as an attempt.
 */
export async function giveBackTraining(
  db: Database,
  { trainingId, node }: Pick<Training, 'trainingId' | 'node'>,
  { message, isInterrupted }: { message: string; isInterrupted: boolean },
): Promise<boolean> {
  const statement = sql`
    update trainings as lost set ${givenBack(isInterrupted ? 1 : 0)}, decision = ${message.slice(0, longestDecision)}
    where training_id = ${trainingId} and state = 'running' and node = ${node} returning state`;
  const [given] = await queryRaw<{ state: TrainingState }>(db, statement, { state: 'text' });
  return given?.state === 'queued';
}

/** Gives back what silent nodes ran; the ids of those that wait again. */
export async function giveBackLostTrainings(db: Database): Promise<string[]> {
  const statement = sql`
    update trainings as lost set ${givenBack(0)}, decision = 'The node that trained it has fallen silent.'
    where state = 'running' and heartbeat_at < clock_timestamp() - ${sql.raw(silence)}
    returning training_id as "trainingId", state`;
  const rows = await queryRaw<Pick<Training, 'trainingId' | 'state'>>(db, statement, {
    trainingId: 'uuid',
    state: 'text',
  });
  return rows.filter(({ state }) => state === 'queued').map(({ trainingId }) => trainingId);
}

/** A statement that meets a training queued at the same moment fails on the unique index, and the next sweep ends it. */
function givenBack(forgivenAttempts: number) {
  const again = sql`attempts - ${sql.lit(forgivenAttempts)} < ${sql.lit(mostAttempts)} and not exists (
    select from trainings as other where other.environment = lost.environment and other.state = 'queued'
  )`;
  return sql`
    attempts = attempts - ${sql.lit(forgivenAttempts)},
    state = case when ${again} then 'queued' else 'failed' end,
    ended_at = case when ${again} then null else clock_timestamp() end`;
}

async function deleteOldTrainings(db: Database, environment: string): Promise<void> {
  const ofEnvironment = db.kysely.selectFrom('trainings').where('environment', '=', environment);
  const newest = ofEnvironment.select('requested_at').orderBy('requested_at', 'desc');
  await db.kysely
    .deleteFrom('trainings')
    .where('ended_at', 'is not', null)
    .where('environment', '=', environment)
    .where('requested_at', '<', newest.offset(keptTrainings - 1).limit(1))
    .execute();
}
