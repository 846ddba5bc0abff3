import type { CandidatePool } from './candidate-pool.ts';
import { type CandidateStream, createStreamReader } from './candidate-stream.ts';
import type { Selection } from './selection.ts';
import { Widening, type WideningRequest } from './widening.ts';

/** Candidates per slot: deep enough that quotas seldom need more. */
const poolDepth = 10;

/** The same where no minimum asks for candidates from further down, until the list reaches into the worse half of them. */
const shallowDepth = 5;

/** Candidates for a short list: so that one item may serve several quotas at once. */
const leastPool = 64;

/** Candidates of the stream that are looked at first, as a multiple of those wanted: rare ones are then searched directly. */
const readDepth = 4;

/** Each time the stream is read further, it is by this factor. */
const growth = 4;

export type SourcingRequest = WideningRequest & { stream: CandidateStream; size: number };

/** Where the pool's candidates come from: the stream in its order, and what widening finds beyond it. */
export class Sourcing {
  private readonly widening = new Widening();
  private readonly reader = createStreamReader();
  private readonly pool: CandidatePool;
  private stream!: CandidateStream;
  private size = 0;
  /** Candidates per slot that were aimed at. */
  private depth = poolDepth;
  /** Candidates wanted in the pool, and the place of the stream not to read beyond for them. */
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
    this.aim(request.rules.some((rule) => rule.kind === 'quota' && rule.min > 0) ? poolDepth : shallowDepth);
    this.readOn();
  }

  /** Reads a pool that began shallow to its full depth when its worst pick, by place in order, says that it was too shallow. */
  deepen(lastPickedPlace: number): boolean {
    if (this.depth === poolDepth || lastPickedPlace < this.pool.count / 2) return false;
    const before = this.pool.count;
    this.aim(poolDepth);
    this.readOn();
    return this.pool.count > before;
  }

  /** Adds candidates that could make the selection better; false when there are none. */
  widen(selection: Selection): boolean {
    if (this.reader.isExhausted) return false;
    if (this.fetch(this.widening.findForNeeds(selection))) return true;
    const isShort = selection.picks.length < selection.slots;
    if (isShort && this.fetch(this.widening.findForLength(selection))) return true;
    return this.fetch(this.widening.findHeavier(selection));
  }

  private aim(depth: number): void {
    this.depth = depth;
    this.poolTarget = Math.max(leastPool, this.size * depth);
    this.readTarget = this.poolTarget * readDepth;
  }

  /** Reads until the pool has `poolTarget` candidates, but not beyond place `readTarget` of the stream. */
  private readOn(): void {
    this.reader.readUntil(
      () => this.pool.count >= this.poolTarget || this.reader.position >= this.readTarget,
      (itemIndex, position) => this.pool.offer(itemIndex, position),
    );
  }

  /** Reads so much further that a few times reach any catalogue's end. */
  private readFurther(): void {
    const before = this.pool.count;
    while (this.pool.count === before && !this.reader.isExhausted) {
      this.poolTarget = Math.max(this.poolTarget, this.pool.count) * growth;
      this.readTarget = Math.max(this.readTarget, this.reader.position) * growth;
      this.readOn();
    }
  }

  /** Fetches what a search found, or reads on when that is the better way; true when there are new candidates. */
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
