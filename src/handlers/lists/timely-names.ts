/**
 * Names of lists that lie in the bucket whose turn it is, since the lists of a moment are one statement then.
 *
 * A name is drawn and says its bucket by chance. One of another bucket is kept until the turn of that one comes, so that nearly every
 * name that is drawn is used.
 */
import type { ListStore } from './list-store.ts';

export type TimelyNamesOptions = {
  lists: Pick<ListStore, 'turn' | 'bucketOf'>;
  /** Draws a name by chance. */
  draw: () => string;
  /** The row that a name says its list is in [the name]. */
  rowOf?: (name: string) => string;
};

/** Nobody depends on the bucket, so it is not looked for longer. */
const mostTries = 32;

/** Names of a bucket that wait for its next turn; further ones are forgotten. */
const mostKept = 256;

/** Answers a function that names a list of an environment. */
export function createTimelyNames({ lists, draw, rowOf = (name) => name }: TimelyNamesOptions) {
  const keptByEnvironment = new Map<string, string[][]>();
  /** By bucket. */
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
