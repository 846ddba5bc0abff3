/** How much of the machine a training may take. */

import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** Of the memory that there is. */
const memoryShare = 0.3;
/** An event of a training with all its models, at the peak; measured on 20 million. */
const bytesPerEvent = 200;

const fewestEvents = 500_000;
const mostEvents = 25_000_000;

/** The events of an environment that are read at most, the newest ones. */
export function eventBudget(memoryBytes = memoryOf()): number {
  const fitting = Math.floor((memoryBytes * memoryShare) / bytesPerEvent);
  return Math.max(fewestEvents, Math.min(mostEvents, fitting));
}

/** All cores but one, which is left to requests; at most four, since more wait for memory. */
export function defaultThreadCount(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1));
}

/** A container's own limit, where it has one. */
function memoryOf(): number {
  const limit = constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
