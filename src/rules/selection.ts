/**
 * The candidates picked so far, with what they use of each limit and serve of each need.
 *
 * Every step of composing (reserve, fill, repair) changes the list only through `add` and `remove`, and adds only after
 * `canAdd` or to return to a list that it had; so no step can break a limit.
 */
import type { CandidatePool } from './candidate-pool.ts';
import { createIntList, type IntList } from './number-lists.ts';

export type Selection = {
  readonly pool: CandidatePool;
  readonly slots: number;
  /** Picked candidates in no order. */
  readonly picks: IntList;
  /** By limit: how many of the list, injected ones included, use it. */
  readonly uses: IntList;
  /** By need: how many picked candidates serve it. */
  readonly served: IntList;
  begin(pool: CandidatePool, slots: number): void;
  isPicked(candidate: number): boolean;
  canAdd(candidate: number): boolean;
  /** The first limit that keeps the candidate out, or -1. */
  blockingLimit(candidate: number): number;
  add(candidate: number): void;
  remove(candidate: number): void;
  usesLimit(candidate: number, limit: number): boolean;
  serves(candidate: number, need: number): boolean;
  /** How many more candidates the need wants. */
  shortage(need: number): number;
  /** By need: 1 when no slots are reserved for it, because it cannot be met. */
  readonly givenUp: IntList;
  /** Forgets all picks but not the needs that were given up. */
  restart(): void;
};

export function createSelection(): Selection {
  const picks = createIntList();
  const uses = createIntList();
  const served = createIntList();
  const givenUp = createIntList();
  /** By candidate: its index in `picks`, or -1. */
  const pickIndexes = createIntList();
  let pool: CandidatePool;
  let slots = 0;

  const restart = (): void => {
    picks.clear();
    pickIndexes.fill(pool.count, -1);
    served.fill(pool.wants.length, 0);
    uses.fill(pool.caps.length, 0);
    for (let limit = 0; limit < uses.length; limit++) uses.values[limit] = pool.injectedUses.values[limit];
  };

  const count = (candidate: number, change: 1 | -1): void => {
    const { limitStarts, limitIds, needStarts, needIds } = pool;
    const limitEnd = limitStarts.values[candidate + 1];
    for (let k = limitStarts.values[candidate]; k < limitEnd; k++) uses.values[limitIds.values[k]] += change;
    const needEnd = needStarts.values[candidate + 1];
    for (let k = needStarts.values[candidate]; k < needEnd; k++) served.values[needIds.values[k]] += change;
  };

  const blockingLimit = (candidate: number): number => {
    const { limitStarts, limitIds, caps } = pool;
    const end = limitStarts.values[candidate + 1];
    for (let k = limitStarts.values[candidate]; k < end; k++) {
      const limit = limitIds.values[k];
      if (uses.values[limit] >= caps.values[limit]) return limit;
    }
    return -1;
  };

  const contains = (starts: IntList, ids: IntList, candidate: number, id: number): boolean => {
    const end = starts.values[candidate + 1];
    for (let k = starts.values[candidate]; k < end; k++) if (ids.values[k] === id) return true;
    return false;
  };

  return {
    get pool() {
      return pool;
    },
    get slots() {
      return slots;
    },
    picks,
    uses,
    served,
    givenUp,
    restart,
    begin(nextPool, nextSlots) {
      pool = nextPool;
      slots = nextSlots;
      givenUp.fill(pool.wants.length, 0);
      restart();
    },
    isPicked: (candidate) => pickIndexes.values[candidate] >= 0,
    blockingLimit,
    canAdd: (candidate) => picks.length < slots && blockingLimit(candidate) < 0,
    add(candidate) {
      pickIndexes.values[candidate] = picks.length;
      picks.push(candidate);
      count(candidate, 1);
    },
    remove(candidate) {
      const index = pickIndexes.values[candidate];
      const last = picks.values[picks.length - 1];
      picks.values[index] = last;
      pickIndexes.values[last] = index;
      picks.length -= 1;
      pickIndexes.values[candidate] = -1;
      count(candidate, -1);
    },
    usesLimit: (candidate, limit) => contains(pool.limitStarts, pool.limitIds, candidate, limit),
    serves: (candidate, need) => contains(pool.needStarts, pool.needIds, candidate, need),
    shortage: (need) => pool.wants.values[need] - served.values[need],
  };
}
