/** Paces background work: a pause after each statement, as long as it took, up to a second. */

import { setTimeout as delay } from 'node:timers/promises';

/** Runs a statement and pauses. Rejects without running it when the work is aborted. */
export type Pace = <T>(statement: () => Promise<T>) => Promise<T>;

const longestRestMs = 1_000;

export function createPace(signal?: AbortSignal): Pace {
  return async (statement) => {
    signal?.throwIfAborted();
    const startMs = performance.now();
    const result = await statement();
    await delay(Math.min(longestRestMs, performance.now() - startMs), undefined, { ref: false });
    return result;
  };
}

/** Result of a statement: the last key scanned (null at the end) and the number of deleted rows. */
export type Page<Place> = { reached: Place | null; count: number };

/** Deletes page by page, each after the last key of the one before. Returns the deleted rows. */
export async function forgetPages<Place>(
  pace: Pace,
  first: Place,
  forget: (since: Place) => Promise<Page<Place>[]>,
): Promise<number> {
  let count = 0;
  for (let since = first; ; ) {
    const [page] = await pace(() => forget(since));
    count += page.count;
    if (page.reached === null) return count;
    since = page.reached;
  }
}
