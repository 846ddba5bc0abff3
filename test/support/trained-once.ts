/** A deployment whose environments are trained when they first hold something, and then on demand alone. */

import type { Deployment, TrainingSettings } from '../../src/deployment/deployment.ts';

const onDemand: TrainingSettings = {
  newEvents: 1_000_000_000,
  changedItems: 1_000_000_000,
  intervalMinutes: 43_200,
  timesOfDay: [],
  restFactor: 10,
};

/** For tests that have nothing to say about trainings: all they write would be learnt from beside them. */
export function trainedOnce(deployment: Deployment): Deployment {
  const environments = [...deployment.environments].map(
    ([name, settings]) => [name, { ...settings, training: onDemand }] as const,
  );
  return { ...deployment, environments: new Map(environments) };
}
