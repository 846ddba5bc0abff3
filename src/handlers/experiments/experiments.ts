/** Operations of ExperimentService. */

import { ExperimentSchema } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import { ExperimentService } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { DomainError } from '../../errors.ts';
import * as lifecycle from '../../jobs/experiments/lifecycle.ts';
import type { AuditAction } from '../../repository/audit/audit-entries.ts';
import { findConfigurationVersion } from '../../repository/configurations/configurations.ts';
import type { Database } from '../../repository/database.ts';
import {
  deleteExperiment,
  type Experiment,
  type ExperimentDefinition,
  type ExperimentRow,
  findExperiment,
  listExperiments,
  mostExperiments,
  saveExperiment,
} from '../../repository/experiments/experiments.ts';
import { writeConflict } from '../../repository/failures.ts';
import { findLastLocalNumber } from '../../repository/feeds.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { notFound, refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { belongsTo, environmentsOf } from '../messages/environments-of.ts';
import { readMessages } from '../messages/pages.ts';
import { type ComparisonOptions, createComparisons } from './comparisons.ts';
import { definitionOf, experimentMessage } from './experiment-messages.ts';
import { planExperiment } from './plans.ts';
import type { ExperimentReplica } from './replica/experiment-replica.ts';

const pageLimits = { usual: 50, most: 200 };

/** Attempts at a write while others write experiments. */
const mostAttempts = 10;

export type ExperimentHandlersOptions = ComparisonOptions & {
  replica: Pick<ExperimentReplica, 'refresh'>;
};

type Name = { environment: string; experimentId: string };

export function createExperimentHandlers(options: ExperimentHandlersOptions) {
  const { db, clock } = options;
  const { find, answer, change } = createWriting(options);
  const { compareVersions, readExperiment, resultsOf } = createComparisons(options);

  return implement(ExperimentService, {
    compareVersions,
    readExperiment,
    planExperiment: (request) => planExperiment(request, options),
    listExperiments: ({ environment, ...page }, call) =>
      readMessages('experiments', page, call, {
        kinds: ['string'],
        list: (limit, after) => listExperiments(db, environment, { after: after?.[0], limit }),
        keyOf: ({ experimentId }) => [experimentId],
        chosen: ['experiments', environment],
        limits: pageLimits,
        schema: ExperimentSchema,
        messageOf: experimentMessage,
      }),
    getExperiment: async (name) => ({ experiment: experimentMessage(await find(name)) }),
    async putExperiment({ experiment, expectedRevision, ...name }, call) {
      await put(db, name, {
        definition: definitionOf(experiment!, name.experimentId),
        expectedRevision,
        call,
      });
      return answer(name);
    },
    async startExperiment(name, call) {
      await checkVersions(db, await find(name));
      const next: Transition = (one, all) => lifecycle.start(one, all, clock());
      return change(name, { call, action: 'experiments.start', next });
    },
    rampExperiment: async ({ share, ...name }, call) =>
      change(name, { call, action: 'experiments.ramp', next: (one) => lifecycle.ramp(one, share, clock()) }),
    stopExperiment: async (name, call) =>
      change(name, { call, action: 'experiments.stop', next: (one) => lifecycle.stop(one, clock()) }),
    async concludeExperiment({ winner, ...name }, call) {
      const next: Transition = (one) => lifecycle.conclude(one, winner || undefined, clock());
      return change(name, { call, action: 'experiments.conclude', next });
    },
    archiveExperiment: async (name, call) =>
      change(name, { call, action: 'experiments.archive', next: lifecycle.archive }),
    async deleteExperiment({ expectedRevision, ...name }, call) {
      await attempt(db, async (since) => {
        const current = await find(name);
        checkRevision(name, current, expectedRevision);
        const against = lifecycle.mayDelete(current);
        if (against) throw stateConflict(against.conflict, name);
        const write = { ...name, since, action: 'experiments.delete' as const, ...actorOf(call) };
        return (await deleteExperiment(db, write)) || undefined;
      });
      return {};
    },
    getExperimentResults: async ({ confidence, ...name }) => {
      const row = await find(name);
      if (row.progress.startedAtMs === undefined)
        throw stateConflict('The experiment was never started.', name);
      return resultsOf(row, confidence);
    },
  });
}

function createWriting({ db, replica }: ExperimentHandlersOptions) {
  const find = async ({ environment, experimentId }: Name): Promise<ExperimentRow> =>
    (await findExperiment(db, environment, experimentId)) ?? unknownExperiment(environment, experimentId);
  const answer = async (name: Name) => {
    await replica.refresh();
    return { experiment: experimentMessage(await find(name)) };
  };
  return {
    find,
    answer,
    async change(
      { environment, experimentId }: Name,
      { call, action, next }: { call: Call; action: AuditAction; next: Transition },
    ) {
      const name = { environment, experimentId };
      await attempt(db, async (since) => {
        const all = await listExperiments(db, environment, { limit: mostExperiments });
        const current = all.find((one) => one.experimentId === experimentId);
        const outcome = next(current ?? unknownExperiment(environment, experimentId), all);
        const write = { ...name, since, action, ...actorOf(call) };
        return saveExperiment(db, write, accepted(outcome, name));
      });
      return answer(name);
    },
  };
}

type Put = { definition: ExperimentDefinition; expectedRevision?: number; call: Call };

async function put(
  db: Database,
  { environment, experimentId }: Name,
  { definition, expectedRevision, call }: Put,
): Promise<void> {
  const name = { environment, experimentId };
  await attempt(db, async (since) => {
    const current = await findExperiment(db, environment, experimentId);
    checkRevision(name, current, expectedRevision);
    if (!current) await checkRoom(db, environment);
    const draft = { state: 'draft', definition, progress: lifecycle.newProgress } as const;
    const next = current ? accepted(lifecycle.redefine(current, definition), name) : draft;
    return saveExperiment(db, { ...name, since, action: 'experiments.put', ...actorOf(call) }, next);
  });
}

type Transition = (current: Experiment, all: readonly Experiment[]) => lifecycle.Outcome;

/** Repeats a write that returns undefined because another experiment was written meanwhile. */
async function attempt<Result>(
  db: Database,
  write: (since: number) => Promise<Result | undefined>,
): Promise<Result> {
  for (let i = 0; i < mostAttempts; i += 1) {
    const result = await write(await findLastLocalNumber(db, 'experiments'));
    if (result !== undefined) return result;
  }
  throw new DomainError('UNAVAILABLE', 'Too many experiments are being written. Retry in a moment.');
}

function accepted(outcome: lifecycle.Outcome, name: Name): lifecycle.Change {
  if ('conflict' in outcome) throw stateConflict(outcome.conflict, name);
  if ('fault' in outcome) refuse([{ pointer: '', detail: outcome.fault }]);
  return outcome as lifecycle.Change;
}

async function checkRoom(db: Database, environment: string): Promise<void> {
  const known = await listExperiments(db, environment, { limit: mostExperiments });
  const detail = `An environment has at most ${mostExperiments} experiments; delete one first.`;
  if (known.length === mostExperiments) refuse([{ pointer: '', detail }]);
}

/** A version of other environments counts as unknown. */
async function checkVersions(db: Database, { environment, definition }: Experiment): Promise<void> {
  for (const [i, { configurations }] of definition.variants.entries())
    for (const [configurationId, version] of Object.entries(configurations)) {
      const row = await findConfigurationVersion(db, configurationId, version);
      const detail = `There is no configuration "${configurationId}" version ${version}.`;
      if (!row?.document || !belongsTo(environmentsOf(row.document), environment))
        refuse([{ pointer: `/variants/${i}/configurations/${configurationId}`, detail }]);
    }
}

/** @throws VERSION_CONFLICT unless the expected revision is current: 0 for none, -1 for any. */
function checkRevision({ experimentId }: Name, row: ExperimentRow | undefined, expected?: number): void {
  const current = row?.revision ?? 0;
  if (expected === undefined || expected === current || (expected === -1 && row)) return;
  const subject = `Experiment "${experimentId}" is`;
  throw writeConflict(subject, 'revision', { current, expected }, { experiment_id: experimentId });
}

function stateConflict(message: string, { environment, experimentId }: Name): DomainError {
  const metadata = { environment, experiment_id: experimentId };
  return new DomainError('EXPERIMENT_STATE_CONFLICT', message, { metadata });
}

function unknownExperiment(environment: string, experimentId: string): never {
  const metadata = { environment, experiment_id: experimentId };
  throw notFound('EXPERIMENT_UNKNOWN', 'experiment', experimentId, metadata);
}
