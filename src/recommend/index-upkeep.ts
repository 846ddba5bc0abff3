/** Merges the search indexes' writes in the background, a slice at a time between requests. */

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { ServingEnvironment } from './serving-environment.ts';

/** Pause when there is nothing to merge; what is not merged yet is found all the same. */
const idleMs = 500;

export type IndexUpkeep = { start(): void; stop(): Promise<void> };

export function createIndexUpkeep({
  environments,
}: {
  environments: readonly ServingEnvironment[];
}): IndexUpkeep {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const work = async () => {
    while (!stopping.signal.aborted) {
      const isBusy = environments.map(({ searchIndex }) => searchIndex.maintain()).some(Boolean);
      if (isBusy) await nextTurn();
      else await delay(idleMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  return {
    start() {
      running = work();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
