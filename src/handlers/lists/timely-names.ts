/**
 * Names lists so that they belong to the current bucket, because the lists of one bucket are
 * written in one statement.
 *
 * A random name determines its bucket. Names of other buckets wait for their bucket, so that nearly
 * every drawn name is used.
 */
import type { ListStore } from './list-store.ts';

export type TimelyNamesOptions = {
  lists: Pick<ListStore, 'turn' | 'bucketOf'>;
  draw: () => string;
  /** Returns the row of a list with this name [the name]. */
  rowOf?: (name: string) => string;
};

/** Any bucket is correct, so the search is limited. */
const mostTries = 32;

/** Maximum waiting names of a bucket; further ones are dropped. */
const mostKept = 256;

export function createTimelyNames({ lists, draw, rowOf = (name) => name }: TimelyNamesOptions) {
  const keptByEnvironment = new Map<string, string[][]>();
  const keptOf = (environment: string): string[][] => {
    const known = keptByEnvironment.get(environment);
    if (known) return known;
    const kept: string[][] = [];
    keptByEnvironment.set(environment, kept);
    return kept;
  };
  return (environment: string): string => {
    const kept = keptOf(environment);
    const turn = lists.turn();
    const ready = kept[turn]?.pop();
    if (ready !== undefined) return ready;
    let drawn = draw();
    for (let tries = 1; tries < mostTries; tries++) {
      const bucket = lists.bucketOf(environment, rowOf(drawn));
      if (bucket === turn) break;
      kept[bucket] ??= [];
      if (kept[bucket].length < mostKept) kept[bucket].push(drawn);
      drawn = draw();
    }
    return drawn;
  };
}
