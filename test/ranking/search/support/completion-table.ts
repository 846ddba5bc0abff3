/** Tests of completions from a table. */

import test from 'ava';
import { createWorld, merge } from './world.ts';

export type CompletionRow = [typed: string, ids: string[], why: string];

/** Each row is tested on items just written, and after a merge. */
export function tellCompletions(
  items: Parameters<typeof createWorld>[0],
  completions: readonly CompletionRow[],
): void {
  for (const state of ['fresh', 'merged']) {
    for (const [typed, ids, why] of completions) {
      test(`${state}: "${typed}" gives ${ids.join(', ') || 'nothing'}: ${why}`, (t) => {
        const world = createWorld(items);
        if (state === 'merged') merge(world);
        t.deepEqual(world.complete(typed), ids);
      });
    }
  }
}
