/**
 * How far a follower has come in each bucket of a feed, and which numbers beyond it are this node's own
 * writes, which it need not read again.
 */

/** Of a bucket; more are read again, which costs little and changes nothing. */
const mostRemembered = 10_000;

export type OwnWrites = {
  /** Everything up to this number is known. */
  reached(bucket: number): number;
  /** A number that this node has written. */
  note(bucket: number, number: number): void;
  /** Everything up to the number is known now. */
  advance(bucket: number, number: number): void;
  /** Numbers beyond what is reached. */
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
