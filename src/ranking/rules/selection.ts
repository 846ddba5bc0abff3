import type { CandidatePool } from './candidate-pool.ts';
import { createIntList } from './number-lists.ts';

/**
 * The picked candidates, with the uses of each limit and the count towards each need.
 *
 * All steps of composing (reserve, fill, the exact step, draws) change the list through `add` and
 * `remove`; the greedy ones and draws add only after `canAdd`, so that none can exceed a limit.
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
  /** By candidate: 1 while it is picked. */
  private readonly marks = createIntList();

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
    this.marks.fill(pool.count, 0);
    this.served.fill(pool.wants.length, 0);
    uses.fill(pool.caps.length, 0);
    for (let limit = 0; limit < uses.length; limit++) uses.values[limit] = pool.injectedUses.values[limit];
  }

  isPicked(candidate: number): boolean {
    return this.marks.values[candidate] === 1;
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
    this.marks.values[candidate] = 1;
    this.picks.push(candidate);
    this.count(candidate, 1);
  }

  /** Takes linear time; for the few items that are drawn again. */
  remove(candidate: number): void {
    const { picks } = this;
    const index = picks.values.indexOf(candidate);
    picks.values[index] = picks.values[picks.length - 1];
    picks.length -= 1;
    this.marks.values[candidate] = 0;
    this.count(candidate, -1);
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

  serves(candidate: number, need: number): boolean {
    const { needStarts, needIds } = this.pool;
    const end = needStarts.values[candidate + 1];
    for (let k = needStarts.values[candidate]; k < end; k++) if (needIds.values[k] === need) return true;
    return false;
  }

  /** Returns the number of candidates that the need lacks. */
  shortage(need: number): number {
    return this.pool.wants.values[need] - this.served.values[need];
  }
}
