/**
 * Tracks how far a follower has read each bucket of a feed, and which later numbers are this node's
 * own writes, so that it need not read them.
 */

/** Maximum numbers of a bucket; further own writes are read again, which is harmless. */
const mostRemembered = 10_000;

export type OwnWrites = {
  /** Returns the number up to which everything is known. */
  reached(bucket: number): number;
  /** Adds the number of an own write. */
  note(bucket: number, number: number): void;
  /** Marks everything up to the number as known. */
  advance(bucket: number, number: number): void;
  /** Returns the own writes after the reached number. */
  beyond(bucket: number): number[];
};

export function createOwnWrites(): OwnWrites {
  const buckets = new Map<number, { reached: number; own: Set<number> }>();
  const stateOf = (bucket: number) => {
    let state = buckets.get(bucket);
    if (!state) {
      state = { reached: 0, own: new Set() };
      buckets.set(bucket, state);
    }
    return state;
  };
  const moveOn = (state: { reached: number; own: Set<number> }) => {
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
