/** Decides about running experiments in the background; nodes take turns by leases. */

import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../../ranking/runtime/periodic.ts';
import type { Database } from '../../repository/database.ts';
import {
  claimExperiment,
  type Experiment,
  findExperiment,
  saveExperiment,
} from '../../repository/experiments/experiments.ts';
import { findLastLocalNumber } from '../../repository/feeds.ts';
import { decide, type Evidence, jointConfidence } from './decisions.ts';
import { checkShares, readPreference, readVariants } from './statistics/reading.ts';

const everyMs = 10_000;

export type RolloutsOptions = {
  db: Database;
  environments: readonly string[];
  /** Updates the counts with everything stored and served until now. */
  completeCounts: () => Promise<void>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
};

export function createRollouts(options: RolloutsOptions): Periodic {
  return createPeriodic({
    work: async () => ((await decideNext(options)) ? 'again' : undefined),
    pauseMs: everyMs,
    complaint: 'Running experiments could not be checked; trying again.',
    logger: options.logger,
  });
}

/** Decides about the next experiment that is due; false without one. */
export async function decideNext({
  db,
  environments,
  completeCounts,
  clock,
}: RolloutsOptions): Promise<boolean> {
  const claimed = await claimExperiment(db, environments);
  if (!claimed) return false;
  await completeCounts();
  const { environment, experimentId } = claimed;
  const since = await findLastLocalNumber(db, 'experiments');
  const experiment = await findExperiment(db, environment, experimentId);
  if (experiment?.state !== 'running') return true;
  const nowMs = clock();
  const evidence = await readEvidence(db, experiment, nowMs);
  const change = decide(experiment, evidence, nowMs);
  /** Without effect if somebody changed an experiment meanwhile: the next turn decides again. */
  if (change)
    await saveExperiment(db, { environment, experimentId, since, action: 'experiments.decide' }, change);
  return true;
}

async function readEvidence(db: Database, experiment: Experiment, nowMs: number): Promise<Evidence> {
  if (experiment.definition.interleaved) {
    const { preferred } = await readPreference(db, experiment, { nowMs });
    return { differences: [], isMismatch: false, preferred };
  }
  const confidence = jointConfidence(experiment);
  const { reading, shares } = await readVariants(db, experiment, { confidence, nowMs });
  return { ...reading, isMismatch: checkShares(reading, shares).isMismatch };
}
