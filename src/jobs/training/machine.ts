/** Limits the resources of a training. */

import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

const memoryShare = 0.3;
/** Peak memory per event with all models; measured on 20 million events. */
const bytesPerEvent = 200;

const fewestEvents = 500_000;
const mostEvents = 25_000_000;

/** Returns how many of an environment's newest events a training reads at most. */
export function eventBudget(memoryBytes = memoryOf()): number {
  const fitting = Math.floor((memoryBytes * memoryShare) / bytesPerEvent);
  return Math.max(fewestEvents, Math.min(mostEvents, fitting));
}

/** Leaves one core to requests; uses at most four, since more would wait for memory. */
export function defaultThreadCount(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1));
}

/** Respects a container's memory limit. */
function memoryOf(): number {
  const limit = constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
