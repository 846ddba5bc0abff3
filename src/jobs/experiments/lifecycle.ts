/** Changes of state of experiments: pure functions that return the next state, or why there is none. */

import type { ServedExperiment } from '../../ranking/lists/person/treatment.ts';
import type {
  Experiment,
  ExperimentDefinition,
  ExperimentProgress,
  ExperimentState,
} from '../../repository/experiments/experiments.ts';

export type Change = Pick<Experiment, 'state' | 'definition' | 'progress'>;

/** The change, or the reason against it: a state that does not allow it, or a fault of the definition. */
export type Outcome = Change | { conflict: string } | { fault: string };

const endsOf: Record<ExperimentState, string> = {
  draft: 'is a draft',
  running: 'is running',
  stopped: 'is stopped',
  concluded: 'is concluded',
  archived: 'is archived',
};

/** Shares are sums of decimals, so the end of a part may miss the next one by rounding. */
const tolerance = 1e-9;

/** The group that decides which experiments exclude each other. */
export const groupOf = ({ experimentId, definition }: Pick<Experiment, 'experimentId' | 'definition'>) =>
  definition.group ?? `experiment ${experimentId}`;

export const newProgress: ExperimentProgress = { share: 0, from: 0 };

function unlessIn(states: readonly ExperimentState[], { state }: Experiment, verb: string) {
  if (states.includes(state)) return undefined;
  return { conflict: `The experiment ${endsOf[state]}, so it cannot be ${verb}.` };
}

/** @param others Experiments of the same environment. */
export function start(experiment: Experiment, others: readonly Experiment[], nowMs: number): Outcome {
  const conflict = unlessIn(['draft', 'stopped'], experiment, 'started');
  if (conflict) return conflict;
  const { definition, experimentId } = experiment;
  const served = others.filter((one) => one.experimentId !== experimentId && isServed(one));
  const rival = served.find((one) => groupOf(one) !== groupOf(experiment) && isRival(one, experiment));
  if (rival)
    return {
      fault: `The experiment "${rival.experimentId}" changes the same configuration or the models. Put both into one group, or end that one first.`,
    };
  const from = freePart(experiment, served);
  if (from === undefined)
    return {
      fault: `The group "${definition.group}" has no free part of ${definition.traffic} of its devices.`,
    };
  const progress = { share: definition.ramp[0].share, rampedAtMs: nowMs, from, startedAtMs: nowMs };
  return { state: 'running', definition, progress };
}

export function ramp(experiment: Experiment, share: number, nowMs: number): Outcome {
  const conflict = unlessIn(['running'], experiment, 'ramped');
  const { definition, progress } = experiment;
  return conflict ?? { state: 'running', definition, progress: { ...progress, share, rampedAtMs: nowMs } };
}

export function stop(experiment: Experiment, nowMs: number): Outcome {
  const conflict = unlessIn(['running'], experiment, 'stopped');
  const { definition, progress } = experiment;
  return conflict ?? { state: 'stopped', definition, progress: { ...progress, endedAtMs: nowMs } };
}

export function conclude(experiment: Experiment, winner: string | undefined, nowMs: number): Outcome {
  const conflict = unlessIn(['running', 'stopped'], experiment, 'concluded');
  if (conflict) return conflict;
  const { definition, progress } = experiment;
  if (winner !== undefined && !definition.variants.some(({ name }) => name === winner))
    return { fault: `There is no variant "${winner}".` };
  const endedAtMs = progress.endedAtMs ?? nowMs;
  return { state: 'concluded', definition, progress: { ...progress, endedAtMs, winner } };
}

export function archive(experiment: Experiment): Outcome {
  const conflict = unlessIn(['draft', 'stopped', 'concluded'], experiment, 'archived');
  const { definition, progress } = experiment;
  return conflict ?? { state: 'archived', definition, progress };
}

export function redefine(experiment: Experiment, definition: ExperimentDefinition): Outcome {
  const conflict = unlessIn(['draft', 'running', 'stopped'], experiment, 'changed');
  if (conflict) return conflict;
  const { state, progress } = experiment;
  if (state === 'running' && fixedPart(definition) !== fixedPart(experiment.definition))
    return {
      conflict:
        'While it runs, only hypothesis, metric, guardrails and ramp of an experiment may change. Stop it first.',
    };
  return { state, definition, progress };
}

export function mayDelete(experiment: Experiment): { conflict: string } | undefined {
  return unlessIn(['draft', 'stopped', 'archived'], experiment, 'deleted');
}

function fixedPart({ variants, group, traffic, audience, interleaved }: ExperimentDefinition): string {
  return JSON.stringify([variants, group, traffic, audience, interleaved]);
}

const isServed = ({ state, progress }: Experiment) =>
  state === 'running' || (state === 'concluded' && progress.winner !== undefined);

/** Whether both change the same configuration, or both change the models. */
function isRival(one: Experiment, other: Experiment): boolean {
  const changedBy = ({ definition: { variants } }: Experiment) =>
    variants.flatMap(({ configurations, models }) => [
      ...Object.keys(configurations).map((id) => `configuration ${id}`),
      ...(Object.keys(models).length > 0 ? ['models'] : []),
    ]);
  const changed = new Set(changedBy(one));
  return changedBy(other).some((name) => changed.has(name));
}

/** Finds the start of the first part of the group's hash space that no running experiment has. */
function freePart(experiment: Experiment, served: readonly Experiment[]): number | undefined {
  const taken = served
    .filter((one) => one.state === 'running' && groupOf(one) === groupOf(experiment))
    .map(({ progress: { from }, definition: { traffic } }) => ({ from, to: from + traffic }))
    .sort((a, b) => a.from - b.from);
  let start = 0;
  for (const { from, to } of taken) {
    if (start + experiment.definition.traffic <= from + tolerance) return start;
    start = Math.max(start, to);
  }
  return start + experiment.definition.traffic <= 1 + tolerance ? start : undefined;
}

/** Returns the part of the hash space that an experiment serves now. */
export function servedPart({ definition, progress }: Experiment): Pick<ServedExperiment, 'from' | 'to'> {
  const to = progress.from + definition.traffic * progress.share;
  return { from: progress.from, to: to > 1 - tolerance ? 1 : to };
}
