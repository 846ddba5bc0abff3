/** Experiments of environments. Every write takes a number of one feed, which followers read. */

import { sql } from 'kysely';
import { type Actor, type AuditAction, auditPart } from '../audit/audit-entries.ts';
import { appendedChange, bucketOfChanges } from '../changes/changes.ts';
import { type Database, queryRaw } from '../database.ts';

/** Most experiments of an environment. */
export const mostExperiments = 1_000;

export type ExperimentState = 'draft' | 'running' | 'stopped' | 'concluded' | 'archived';

export type VariantDefinition = {
  name: string;
  share: number;
  /** Versions by configuration ID. */
  configurations: Record<string, number>;
  /** Factors by model name. */
  models: Record<string, number>;
};

export type GuardrailDefinition = { metric: string; toleratedLoss: number };

export type RampStep = { share: number; hours: number };

/** The declaration, stored as JSON. */
export type ExperimentDefinition = {
  hypothesis?: string;
  /** The control first. */
  variants: VariantDefinition[];
  group?: string;
  traffic: number;
  /** Values by variable. */
  audience: Record<string, (string | number | boolean)[]>;
  metric: string;
  guardrails: GuardrailDefinition[];
  ramp: RampStep[];
  /** Both variants share each list; their clicks decide. */
  interleaved?: boolean;
};

export type ExperimentDecision = {
  kind: 'ramped' | 'rolled_back' | 'decided';
  detail: string;
  atMs: number;
  variant?: string;
  metric?: string;
};

/** How far an experiment is; stored as JSON. Times are milliseconds since the epoch. */
export type ExperimentProgress = {
  /** Share of the traffic. */
  share: number;
  /** When the share was set. */
  rampedAtMs?: number;
  /** Start of its part of the group's hash space, 0 to 1. */
  from: number;
  startedAtMs?: number;
  endedAtMs?: number;
  winner?: string;
  /** When a difference of the primary metric was announced. */
  announcedAtMs?: number;
  decision?: ExperimentDecision;
};

export type Experiment = {
  environment: string;
  experimentId: string;
  state: ExperimentState;
  definition: ExperimentDefinition;
  progress: ExperimentProgress;
};

export type ExperimentRow = Experiment & { revision: number; updatedAt: Date };

const selectExperiments = ({ kysely }: Database) =>
  kysely
    .selectFrom('experiments')
    .select(['environment', 'experiment_id as experimentId', 'state', 'definition', 'progress'])
    .select(['number as revision', 'updated_at as updatedAt'])
    .$narrowType<{
      state: ExperimentState;
      definition: ExperimentDefinition;
      progress: ExperimentProgress;
    }>();

/** Lists the experiments of an environment in the order of their IDs. */
export function listExperiments(
  db: Database,
  environment: string,
  { after = '', limit }: { after?: string; limit: number },
): Promise<ExperimentRow[]> {
  const following = selectExperiments(db).where('environment', '=', environment);
  return following.where('experiment_id', '>', after).orderBy('experiment_id').limit(limit).execute();
}

export function findExperiment(
  db: Database,
  environment: string,
  experimentId: string,
): Promise<ExperimentRow | undefined> {
  const found = selectExperiments(db).where('environment', '=', environment);
  return found.where('experiment_id', '=', experimentId).executeTakeFirst();
}

/** Lists the running and concluded experiments of all environments, in a stable order. */
export function listServedExperiments(db: Database): Promise<ExperimentRow[]> {
  const served = selectExperiments(db).where('state', 'in', ['running', 'concluded']);
  return served.orderBy('environment').orderBy('experiment_id').execute();
}

export type ExperimentWrite = Actor & {
  /** Such as `experiments.start`. */
  action: AuditAction;
  environment: string;
  experimentId: string;
  /** Last number of the feed when the state was read that the write depends on. */
  since: number;
};

/** Stores an experiment, unless any experiment was written since; then undefined. Returns the revision. */
export async function saveExperiment(
  db: Database,
  write: ExperimentWrite,
  { state, definition, progress }: Pick<Experiment, 'state' | 'definition' | 'progress'>,
): Promise<number | undefined> {
  const { environment, experimentId } = write;
  const decision = decisionOf(write, progress);
  const change =
    decision &&
    appendedChange({
      ...{ bucket: await bucketOfChanges(db, environment), environment: sql`environment` },
      ...{ kind: 'experiment.decided', data: sql`${JSON.stringify(decision)}::json` },
    });
  const statement = sql`
    with ${takenUnlessSince(write.since)},
    saved as (
      insert into experiments as current
        (environment, experiment_id, state, definition, progress, number)
      select ${environment}, ${experimentId}, ${state}, ${JSON.stringify(definition)}::json,
        ${JSON.stringify(progress)}::json, taken.last
      from taken
      on conflict (environment, experiment_id) do update set state = excluded.state,
        definition = excluded.definition, progress = excluded.progress, number = excluded.number,
        updated_at = now()
      returning environment, experiment_id, state, definition, progress, number
    ),
    ${auditOf(write, sql`${documentOf()}`)}
    select number as revision, ${change ?? sql`null`} as change from saved`;
  return (await queryRaw<{ revision: number }>(db, statement))[0]?.revision;
}

/** Returns the data of the change that announces a write; undefined unless it decides something. */
function decisionOf({ action, experimentId }: ExperimentWrite, { decision, winner }: ExperimentProgress) {
  const { atMs: _, ...decided } = decision ?? {};
  if (action === 'experiments.decide') return { experiment_id: experimentId, ...decided };
  if (action === 'experiments.conclude') return { experiment_id: experimentId, kind: 'concluded', winner };
  return undefined;
}

/** Deletes an experiment, unless any experiment was written since; then false. */
export async function deleteExperiment(db: Database, write: ExperimentWrite): Promise<boolean> {
  const { environment, experimentId, since } = write;
  const statement = sql`
    with ${takenUnlessSince(since)},
    saved as (
      delete from experiments using taken
      where environment = ${environment} and experiment_id = ${experimentId}
      returning environment, experiment_id, number
    ),
    ${auditOf(write, sql`null::json`)}
    select number from saved`;
  return (await queryRaw(db, statement)).length > 0;
}

/** Takes the next number of the feed if its last one is still the same. */
function takenUnlessSince(since: number) {
  return sql`taken as materialized (
    insert into local_feeds as known (feed, last) values ('experiments', 1)
    on conflict (feed) do update set last = known.last + 1 where known.last = ${since}::bigint
    returning last
  )`;
}

const documentOf = () =>
  sql`json_build_object('state', state, 'definition', definition, 'progress', progress)`;

/** Within the statement the table still has the former row. */
function auditOf({ environment, experimentId, ...actor }: ExperimentWrite, after: ReturnType<typeof sql>) {
  return auditPart({
    ...actor,
    resource: sql`'experiments/' || experiment_id`,
    environment: sql`environment`,
    before: sql`(select ${documentOf()} from experiments as former
      where former.environment = ${environment} and former.experiment_id = ${experimentId})`,
    after,
    from: sql`saved`,
  });
}

/**
 * Time until the next decision about an experiment, which is also the lease of the node that took
 * it: a minute, and later half a percent of the time since the latest step, to bound the cost.
 */
const lease = sql`greatest(interval '1 minute',
  0.005 * (clock_timestamp() - to_timestamp((progress->>'rampedAtMs')::float8 / 1000)))`;

/** Takes a running experiment that no node has decided about lately, the longest waiting first. */
export async function claimExperiment(
  { kysely }: Database,
  environments: readonly string[],
): Promise<{ environment: string; experimentId: string } | undefined> {
  const due = kysely
    .selectFrom('experiments')
    .select(['environment', 'experiment_id'])
    .where('state', '=', 'running')
    .where(sql<boolean>`environment = any(${environments})
      and coalesce(checked_at < clock_timestamp() - ${lease}, true)`)
    .orderBy(sql`checked_at nulls first`)
    .limit(1)
    .forUpdate()
    .skipLocked();
  return kysely
    .updateTable('experiments')
    .set({ checked_at: sql<Date>`clock_timestamp()` })
    .where(({ eb, refTuple }) =>
      eb(refTuple('environment', 'experiment_id'), 'in', due.$asTuple('environment', 'experiment_id')),
    )
    .returning(['environment', 'experiment_id as experimentId'])
    .executeTakeFirst();
}
