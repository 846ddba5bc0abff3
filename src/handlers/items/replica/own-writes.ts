/** Offsets by bucket, and the numbers beyond them that this node wrote itself. */

/** Per bucket; the follower reads further own writes again, which changes nothing. */
const mostRemembered = 10_000;

type OwnWrites = {
  /** Returns the offset up to which everything is known. */
  reached(bucket: number): number;
  /** Remembers a number that this node has written. */
  note(bucket: number, number: number): void;
  advance(bucket: number, number: number): void;
  /** Returns the own numbers beyond the offset. */
  beyond(bucket: number): number[];
};

type BucketState = { reached: number; own: Set<number> };

export function createOwnWrites(): OwnWrites {
  const buckets = new Map<number, BucketState>();
  const stateOf = (bucket: number): BucketState => {
    const state = buckets.get(bucket) ?? { reached: 0, own: new Set() };
    buckets.set(bucket, state);
    return state;
  };
  const moveOn = (state: BucketState) => {
    while (state.own.delete(state.reached + 1)) state.reached += 1;
  };
  return {
    reached: (bucket) => stateOf(bucket).reached,
    note(bucket, number) {
      const state = stateOf(bucket);
      if (number > state.reached && state.own.size < mostRemembered) state.own.add(number);
      moveOn(state);
    },
    advance(bucket, number) {
      const state = stateOf(bucket);
      if (number <= state.reached) return;
      state.reached = number;
      for (const own of state.own) if (own <= number) state.own.delete(own);
      moveOn(state);
    },
    beyond: (bucket) => [...stateOf(bucket).own],
  };
}
