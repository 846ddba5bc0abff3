/**
 * The record of trainings: what was asked for, what runs and how far it is, what came of it.
 *
 * An environment has at most one training queued and at most one running, whatever the number of nodes: two unique indexes see
 * to it. A node that runs one says so every few seconds; one that falls silent has lost it.
 */

import { sql } from 'kysely';
import type { DomainError } from '../../errors.ts';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { type Database, query } from '../database.ts';
import { listEventRanges } from '../events/event-ranges.ts';
import { type Position, rangesBetween } from '../feeds.ts';
import { listItemFeedEnds } from '../items/items.ts';

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
  served_quality as "servedQuality", events_until as "eventsUntil", items_until as "itemsUntil"`;
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
  const { rows } = await sql<Training>`${actor ? audited : insert}`.execute(db.kysely);
  return rows[0];
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
      select from trainings where environment = ${environment} and requested_at > ${lookedAt}
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
  const { rows } = await sql<Training>`
    select ${columns} from trainings
    where environment = ${environment} and training_id::text = ${trainingId}`.execute(db.kysely);
  return rows[0];
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
  const { rows } = await sql<Training>`
    select ${columns} from trainings where environment = ${environment} ${afterTrainingId === undefined ? sql`` : isAfter}
    order by requested_at desc, training_id desc limit ${limit}`.execute(db.kysely);
  return rows;
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
    return (await query<Training>(db, { name: 'claim-training', text: claimStatement, values }))[0];
  } catch (error) {
    if (((error as DomainError).cause as { code?: string } | undefined)?.code === uniqueViolation)
      return undefined;
    throw error;
  }
}

const reportStatement = `
update trainings set stage = $2, progress = greatest(progress, $3), heartbeat_at = clock_timestamp()
where training_id = $1 and state = 'running' and node = $4 returning 1`;

/** How far it is; false when it was given to somebody else meanwhile. */
export async function reportTraining(
  db: Database,
  { trainingId, node }: Pick<Training, 'trainingId' | 'node'>,
  stage: string | null,
  progress: number,
): Promise<boolean> {
  const values = [trainingId, stage, progress, node];
  return (await query(db, { name: 'report-training', text: reportStatement, values })).length > 0;
}

export async function endTraining(
  db: Database,
  { trainingId, node }: Pick<Training, 'trainingId' | 'node'>,
  outcome: TrainingOutcome,
): Promise<void> {
  await sql`
    update trainings set state = ${outcome.state}, progress = 1, ended_at = clock_timestamp(),
      decision = ${outcome.decision}, version = ${outcome.version}, item_count = ${outcome.itemCount},
      event_count = ${outcome.eventCount}, question_count = ${outcome.questionCount},
      quality = ${outcome.quality}, served_quality = ${outcome.servedQuality},
      events_until = ${JSON.stringify(outcome.eventsUntil)}::json, items_until = ${JSON.stringify(outcome.itemsUntil)}::json
    where training_id = ${trainingId} and state = 'running' and node = ${node}`.execute(db.kysely);
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
  const { rows } = await sql<{ state: TrainingState }>`
    update trainings as lost set ${givenBack(isInterrupted ? 1 : 0)}, decision = ${message.slice(0, longestDecision)}
    where training_id = ${trainingId} and state = 'running' and node = ${node} returning state`.execute(
    db.kysely,
  );
  return rows[0]?.state === 'queued';
}

/** Gives back what silent nodes ran; the ids of those that wait again. */
export async function giveBackLostTrainings(db: Database): Promise<string[]> {
  const { rows } = await sql<{ trainingId: string; state: TrainingState }>`
    update trainings as lost set ${givenBack(0)}, decision = 'The node that trained it has fallen silent.'
    where state = 'running' and heartbeat_at < clock_timestamp() - ${sql.raw(silence)}
    returning training_id as "trainingId", state`.execute(db.kysely);
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

/** What an environment's trainings say about when the next one is due. */
export type TrainingHistory = {
  /** By the database's clock. */
  lookedAt: Date;
  isPending: boolean;
  /** The last one that ended, however. */
  last?: { endedMsAgo: number; durationMs: number; isLearnt: boolean };
  /** The last one that did not fail. */
  learnt?: Watermark & { endedMsAgo: number; durationMs: number; itemCount: number; eventCount: number };
};

/** How far the feeds of events and items were read. */
export type Watermark = { eventsUntil: Position; itemsUntil: Position };

type EndedRow = Watermark & {
  endedMsAgo: number;
  durationMs: number;
  itemCount: number;
  eventCount: number;
  isLearnt: boolean;
};

export async function findTrainingHistory(db: Database, environment: string): Promise<TrainingHistory> {
  const ended = sql`
    select (extract(epoch from clock_timestamp() - ended_at) * 1000)::float8 as "endedMsAgo",
      coalesce(extract(epoch from ended_at - started_at) * 1000, 0)::float8 as "durationMs",
      item_count as "itemCount", event_count as "eventCount", events_until as "eventsUntil",
      items_until as "itemsUntil", state <> 'failed' as "isLearnt"
    from trainings where environment = ${environment} and ended_at is not null`;
  const newest = sql`order by ended_at desc limit 1`;
  /** First, so that one that ends meanwhile is found as the one or the other. */
  const { rows: looks } = await sql<Pick<TrainingHistory, 'lookedAt' | 'isPending'>>`
    select clock_timestamp() as "lookedAt", exists (
      select from trainings where environment = ${environment} and state in ('queued', 'running')
    ) as "isPending"`.execute(db.kysely);
  const { rows } = await sql<EndedRow>`
    (${ended} ${newest}) union all (${ended} and state <> 'failed' ${newest})`.execute(db.kysely);
  return {
    ...looks[0],
    last: rows[0],
    learnt: rows.find(({ isLearnt }) => isLearnt),
  };
}

async function deleteOldTrainings(db: Database, environment: string): Promise<void> {
  await sql`
    delete from trainings where ended_at is not null and environment = ${environment} and requested_at < (
      select requested_at from trainings where environment = ${environment}
      order by requested_at desc offset ${sql.lit(keptTrainings)} limit 1
    )`.execute(db.kysely);
}

/** Events of an environment beyond a position, counted up to `most`. */
export async function countEventsAfter(
  db: Database,
  environment: string,
  position: Position,
  most: number,
): Promise<number> {
  const condition = 'bucket = $1 and environment = $2 and lane = $3 and number > $4';
  const text = `select count(*)::int as count from (select from events where ${condition} limit $5) as found`;
  let count = 0;
  for (const { bucket, lane, since } of await listEventRanges(db, position)) {
    if (count >= most) break;
    const values = [bucket, environment, lane, since, most - count];
    count += (await query<{ count: number }>(db, { name: 'count-events-after', text, values }))[0].count;
  }
  return count;
}

/** Items of an environment that were written beyond a position, counted up to `most`. */
export async function countItemsChangedSince(
  db: Database,
  environment: string,
  position: Position,
  most: number,
): Promise<number> {
  const condition = 'bucket = $1 and environment = $2 and number > $3';
  const text = `select count(*)::int as count from (select from items where ${condition} limit $4) as found`;
  let count = 0;
  for (const { bucket, since } of rangesBetween(position, await listItemFeedEnds(db))) {
    if (count >= most) break;
    const values = [bucket, environment, since, most - count];
    count += (await query<{ count: number }>(db, { name: 'count-items-changed', text, values }))[0].count;
  }
  return count;
}
