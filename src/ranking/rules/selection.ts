import type { CandidatePool } from './candidate-pool.ts';
import { createIntList, type IntList } from './number-lists.ts';

/**
 * The picked candidates, with the uses of each limit and the count towards each need.
 *
 * All steps of composing (reserve, fill, repair) change the list through `add` and `remove`, and
 * add only after `canAdd` or to restore an earlier list, so that none can exceed a limit.
 */
export class Selection {
  /** Picked candidates, unordered. */
  readonly picks = createIntList();
  /** By limit: items of the list that use it, including injected ones. */
  readonly uses = createIntList();
  /** By need: picked candidates that serve it. */
  readonly served = createIntList();
  /** By need: 1 when it cannot be met, so that no slots are reserved for it. */
  readonly givenUp = createIntList();
  readonly pool: CandidatePool;
  /** Most candidates that can be picked. */
  slots = 0;
  /** By candidate: its index in `picks`, or -1. */
  private readonly pickIndexes = createIntList();

  constructor(pool: CandidatePool) {
    this.pool = pool;
  }

  /** Starts a selection from the pool's current candidates. */
  begin(slots: number): void {
    this.slots = slots;
    this.givenUp.fill(this.pool.wants.length, 0);
    this.restart();
  }

  /** Removes all picks, and keeps `givenUp`. */
  restart(): void {
    const { pool, uses } = this;
    this.picks.clear();
    this.pickIndexes.fill(pool.count, -1);
    this.served.fill(pool.wants.length, 0);
    uses.fill(pool.caps.length, 0);
    for (let limit = 0; limit < uses.length; limit++) uses.values[limit] = pool.injectedUses.values[limit];
  }

  isPicked(candidate: number): boolean {
    return this.pickIndexes.values[candidate] >= 0;
  }

  isFull(limit: number): boolean {
    return this.uses.values[limit] >= this.pool.caps.values[limit];
  }

  /** Returns the first full limit that the candidate uses, or -1. */
  blockingLimit(candidate: number): number {
    const { limitStarts, limitIds } = this.pool;
    const end = limitStarts.values[candidate + 1];
    for (let k = limitStarts.values[candidate]; k < end; k++)
      if (this.isFull(limitIds.values[k])) return limitIds.values[k];
    return -1;
  }

  canAdd(candidate: number): boolean {
    return this.picks.length < this.slots && this.blockingLimit(candidate) < 0;
  }

  add(candidate: number): void {
    this.pickIndexes.values[candidate] = this.picks.length;
    this.picks.push(candidate);
    this.count(candidate, 1);
  }

  remove(candidate: number): void {
    const { picks, pickIndexes } = this;
    const index = pickIndexes.values[candidate];
    const last = picks.values[picks.length - 1];
    picks.values[index] = last;
    pickIndexes.values[last] = index;
    picks.length -= 1;
    pickIndexes.values[candidate] = -1;
    this.count(candidate, -1);
  }

  usesLimit(candidate: number, limit: number): boolean {
    return contains(this.pool.limitStarts, this.pool.limitIds, candidate, limit);
  }

  serves(candidate: number, need: number): boolean {
    return contains(this.pool.needStarts, this.pool.needIds, candidate, need);
  }

  /** Returns the number of candidates that the need lacks. */
  shortage(need: number): number {
    return this.pool.wants.values[need] - this.served.values[need];
  }

  private count(candidate: number, change: 1 | -1): void {
    const { limitStarts, limitIds, needStarts, needIds } = this.pool;
    const limitEnd = limitStarts.values[candidate + 1];
    for (let k = limitStarts.values[candidate]; k < limitEnd; k++)
      this.uses.values[limitIds.values[k]] += change;
    const needEnd = needStarts.values[candidate + 1];
    for (let k = needStarts.values[candidate]; k < needEnd; k++)
      this.served.values[needIds.values[k]] += change;
  }
}

function contains(starts: IntList, ids: IntList, candidate: number, id: number): boolean {
  const end = starts.values[candidate + 1];
  for (let k = starts.values[candidate]; k < end; k++) if (ids.values[k] === id) return true;
  return false;
}
