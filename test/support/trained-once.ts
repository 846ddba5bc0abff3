/** A deployment with one training when data first arrive, and then only on demand. */

import type { Deployment, TrainingSettings } from '../../src/deployment/deployment.ts';

const onDemand: TrainingSettings = {
  newEvents: 1_000_000_000,
  changedItems: 1_000_000_000,
  intervalMinutes: 43_200,
  timesOfDay: [],
  timeZone: 'UTC',
  restFactor: 10,
};

/**
 * For tests that do not check trainings; otherwise trainings on their data would run beside them.
 */
export function trainedOnce(deployment: Deployment): Deployment {
  const environments = [...deployment.environments].map(
    ([name, settings]) => [name, { ...settings, training: onDemand }] as const,
  );
  return { ...deployment, environments: new Map(environments) };
}
