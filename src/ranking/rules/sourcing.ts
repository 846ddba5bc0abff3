import type { CandidatePool } from './candidate-pool.ts';
import { type CandidateStream, createStreamReader } from './candidate-stream.ts';
import type { Selection } from './selection.ts';
import { Widening, type WideningRequest } from './widening.ts';

/** Candidates per slot, with which quotas seldom need more. */
const poolDepth = 10;

/** Candidates per slot without minimums, as long as the list uses only the better half of them. */
const shallowDepth = 5;

/** Least candidates, so that a short list can contain an item that serves several quotas. */
const leastPool = 64;

/** Items of the stream read first, per wanted candidate; rare ones are then searched. */
const readDepth = 4;

/** Factor by which each further read extends the last one. */
const growth = 4;

type SourcingRequest = WideningRequest & {
  stream: CandidateStream;
  size: number;
  exploration?: { of: number };
};

/** Fills the pool from the stream in its order, and with items that widening finds. */
export class Sourcing {
  private readonly widening = new Widening();
  private readonly reader = createStreamReader();
  private readonly pool: CandidatePool;
  private stream!: CandidateStream;
  private size = 0;
  /** Least candidates. */
  private least = leastPool;
  /** Wanted candidates per slot. */
  private depth = poolDepth;
  /** Wanted candidates, and the place of the stream at which reading for them stops. */
  private poolTarget = 0;
  private readTarget = 0;

  constructor(pool: CandidatePool) {
    this.pool = pool;
  }

  /** Fills the pool with the first candidates. */
  begin(request: SourcingRequest): void {
    this.stream = request.stream;
    this.widening.begin(request);
    this.reader.begin(request.stream);
    this.size = request.size;
    this.least = Math.max(leastPool, request.size + (request.exploration?.of ?? 0));
    this.aim(request.rules.some((rule) => rule.kind === 'quota' && rule.min > 0) ? poolDepth : shallowDepth);
    this.readOn();
  }

  /** Extends a shallow pool to its full depth when the last pick is in its worse half. */
  deepen(lastPickedPlace: number): boolean {
    if (this.depth === poolDepth || lastPickedPlace < this.pool.count / 2) return false;
    const before = this.pool.count;
    this.aim(poolDepth);
    this.readOn();
    return this.pool.count > before;
  }

  /** Adds candidates that could improve the selection; returns false when there are none. */
  widen(selection: Selection): boolean {
    if (this.reader.isExhausted) return false;
    if (this.fetch(this.widening.findForNeeds(selection))) return true;
    const isShort = selection.picks.length < selection.slots;
    if (isShort && this.fetch(this.widening.findForLength(selection))) return true;
    return this.fetch(this.widening.findHeavier(selection));
  }

  private aim(depth: number): void {
    this.depth = depth;
    this.poolTarget = Math.max(this.least, this.size * depth);
    this.readTarget = this.poolTarget * readDepth;
  }

  /** Reads until the pool has `poolTarget` candidates, or to the place `readTarget`. */
  private readOn(): void {
    this.reader.readUntil(
      () => this.pool.count >= this.poolTarget || this.reader.position >= this.readTarget,
      (itemIndex, position) => this.pool.offer(itemIndex, position),
    );
  }

  /** Reads further by a factor, so that a few calls reach the end of any catalogue. */
  private readFurther(): void {
    const before = this.pool.count;
    while (this.pool.count === before && !this.reader.isExhausted) {
      this.poolTarget = Math.max(this.poolTarget, this.pool.count) * growth;
      this.readTarget = Math.max(this.readTarget, this.reader.position) * growth;
      this.readOn();
    }
  }

  /** Adds the found items, or reads on; returns whether there are new candidates. */
  private fetch(isComplete: boolean): boolean {
    const before = this.pool.count;
    if (isComplete && this.widening.found.length === 0) return false;
    if (!isComplete || !this.stream.positionOf) this.readFurther();
    else this.offerFound(this.stream.positionOf.bind(this.stream));
    return this.pool.count > before;
  }

  private offerFound(positionOf: (itemIndex: number) => number): void {
    const { found } = this.widening;
    for (let k = 0; k < found.length; k++) this.pool.take(found.values[k], positionOf(found.values[k]));
  }
}
