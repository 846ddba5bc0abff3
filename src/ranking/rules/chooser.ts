import { type CandidateOrder, createCandidateOrder } from './candidate-order.ts';
import type { CandidatePool } from './candidate-pool.ts';
import { ExactStep } from './exact/exact-step.ts';
import { fill, reserve } from './greedy.ts';
import { Selection } from './selection.ts';

/**
 * Chooses among a pool's candidates: order → reserve → fill, and finally the exact step.
 *
 * All steps change the list through Selection, so that none can exceed a limit.
 */
export class Chooser {
  readonly order: CandidateOrder = createCandidateOrder();
  readonly selection: Selection;
  readonly exactStep: ExactStep;
  private readonly pool: CandidatePool;

  constructor(pool: CandidatePool) {
    this.pool = pool;
    this.selection = new Selection(pool);
    this.exactStep = new ExactStep(this.selection, this.order);
  }

  /** Chooses again without slots for unreachable needs, which may cost later needs or length. */
  choose(slots: number): void {
    const { selection, order } = this;
    order.sort(this.pool);
    selection.begin(slots);
    for (let need = -1; ; selection.givenUp.values[need] = 1) {
      selection.restart();
      reserve(selection, order);
      fill(selection, order);
      need = this.firstUnmet();
      if (need < 0) return;
    }
  }

  /** Returns the place of the last picked candidate in the order, or -1. */
  lastPickedPlace(): number {
    const { picks } = this.selection;
    let last = -1;
    for (let k = 0; k < picks.length; k++) last = Math.max(last, this.order.places.values[picks.values[k]]);
    return last;
  }

  /** Counts by rule the candidates that its limits exclude in favour of worse ones. */
  tallyCuts(): void {
    const { selection, order, pool } = this;
    const isFull = selection.picks.length === selection.slots;
    const end = isFull ? this.lastPickedPlace() : order.candidates.length;
    for (let place = 0; place < end; place++) {
      const candidate = order.candidates.values[place];
      const limit = selection.isPicked(candidate) ? -1 : selection.blockingLimit(candidate);
      if (limit >= 0) pool.tallies[pool.limitRules.values[limit]].cut += 1;
    }
  }

  /** Returns the first unmet need with reserved slots, or -1. */
  private firstUnmet(): number {
    for (let need = 0; need < this.pool.wants.length; need++) {
      if (this.selection.shortage(need) > 0 && this.selection.givenUp.values[need] === 0) return need;
    }
    return -1;
  }
}
