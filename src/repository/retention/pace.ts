/** Work that has time: each statement is followed by a rest as long as it took, so that half of the database's time stays free. */

import { setTimeout as delay } from 'node:timers/promises';

/** Runs a statement, and rests; rejects instead when the work is to end. */
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

/** What a statement did: the last place that it looked at, null at the end, and how many rows went. */
export type Page<Place> = { reached: Place | null; count: number };

/** Statement after statement, each from where the one before ended; answers how many rows went. */
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
