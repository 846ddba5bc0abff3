import type { CandidatePool } from './candidate-pool.ts';
import { createIntList, type IntList } from './number-lists.ts';

/**
 * The candidates picked so far, with what they use of each limit and serve of each need.
 *
 * Every step of composing (reserve, fill, repair) changes the list only through `add` and `remove`, and adds only after
 * `canAdd` or to return to a list that it had; so no step can break a limit.
 */
export class Selection {
  /** Picked candidates in no order. */
  readonly picks = createIntList();
  /** By limit: how many of the list, injected items included, use it. */
  readonly uses = createIntList();
  /** By need: how many picked candidates serve it. */
  readonly served = createIntList();
  /** By need: 1 when no slots are reserved for it, because it cannot be met. */
  readonly givenUp = createIntList();
  readonly pool: CandidatePool;
  /** How many candidates may be picked. */
  slots = 0;
  /** By candidate: its index in `picks`, or -1. */
  private readonly pickIndexes = createIntList();

  constructor(pool: CandidatePool) {
    this.pool = pool;
  }

  /** Begins anew with what the pool holds now. */
  begin(slots: number): void {
    this.slots = slots;
    this.givenUp.fill(this.pool.wants.length, 0);
    this.restart();
  }

  /** Forgets all picks but not the needs that were given up. */
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

  /** The first limit that keeps the candidate out, or -1. */
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

  /** How many more candidates the need wants. */
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
