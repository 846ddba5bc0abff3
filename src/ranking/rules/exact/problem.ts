import type { CandidateOrder } from '../candidate-order.ts';
import { createFloatList, createIntList, type FloatList } from '../number-lists.ts';
import type { Selection } from '../selection.ts';

/** Most items of a problem; candidates that serve needs come first. */
const maxItems = 4096;

/**
 * The choice as a small 0-1 programme: pick items so that all *rows* are satisfied and the total
 * value is highest.
 *
 * A row is a limit (`row < limitCount`), with a maximum of picked items that use it, or a need,
 * with a minimum. Three reductions keep the programme small: limits that all candidates together
 * cannot exceed are left out; of each class of candidates with the same rows only as many as fit
 * into a list are kept, the best ones; and candidates that a full limit of injected items excludes
 * are left out.
 *
 * Weights are counted in whole units, so that the total weights of two lists differ by at least one
 * unit.
 */
export class Problem {
  /** By item: its candidate. Heavier ones first, as in the candidates' order. */
  readonly candidates = createIntList();
  /** By item: its weight in units. */
  readonly weights = createFloatList();
  readonly relevances = createFloatList();
  /** By item: weight and relevance combined; empty when all weights are equal. */
  readonly values = createFloatList();
  /** By item: the better one before it in its class, which is picked first; or -1. */
  readonly twins = createIntList();
  /** By item: smaller for items with few rows, and close together for items with the same rows. */
  readonly branchKeys = createIntList();
  /** Item i uses rowIds[rowStarts[i] … rowStarts[i + 1]). */
  readonly rowStarts = createIntList();
  readonly rowIds = createIntList();
  /** By row: the maximum of a limit, or the floor of a need. */
  readonly bounds = createIntList();
  /** By row: items that use it. */
  readonly users = createIntList();
  limitCount = 0;
  /** Whether items differ in weight. */
  hasWeights = false;
  slots = 0;
  /** Whether no candidate was left out for lack of room. */
  isComplete = true;

  /** By limit of the pool: its row, or -1. */
  private readonly rowOfLimit = createIntList();
  private readonly limitUsers = createIntList();
  /** By class: its last item and its size. */
  private readonly lastItems = createIntList();
  private readonly classSizes = createIntList();
  /** A hash table of classes by their rows; -1 is free. */
  private readonly table = createIntList();
  /** The weight of one unit, and its value in relevance. */
  private unit = 1;
  private unitWorth = 0;

  get count(): number {
    return this.candidates.length;
  }

  get rowCount(): number {
    return this.bounds.length;
  }

  build({ pool, slots }: Selection, order: CandidateOrder): void {
    this.slots = slots;
    this.unit = weightUnit(pool.weights);
    this.buildRows({ pool, slots });
    for (const list of [this.candidates, this.twins, this.branchKeys, this.rowStarts, this.rowIds])
      list.clear();
    this.weights.clear();
    this.relevances.clear();
    this.lastItems.clear();
    this.classSizes.clear();
    this.rowStarts.push(0);
    this.table.fill(2 ** Math.ceil(Math.log2(Math.max(16, pool.count * 2))), -1);
    this.isComplete = true;
    this.takeAll({ pool, order });
    this.countUsers();
    this.weigh(pool);
  }

  readonly relevanceOf = (_weight: number, relevance: number): number => relevance;

  readonly unitsOf = (weight: number): number => Math.round(weight / this.unit);

  /** Combines both: a unit of weight exceeds any difference in relevance of two lists. */
  readonly valueOf = (weight: number, relevance: number): number =>
    this.unitsOf(weight) * this.unitWorth + relevance;

  /** Returns more than the largest difference in relevance between lists of any candidates. */
  private relevanceRange({ relevances, count }: Selection['pool']): number {
    const sorted = relevances.values.slice(0, count).sort();
    let range = 0;
    for (let k = 0; k < Math.min(this.slots, count / 2); k++) range += sorted[count - 1 - k] - sorted[k];
    return range + 1e-3;
  }

  private weigh(pool: Selection['pool']): void {
    const [weights, relevances] = [this.weights.values, this.relevances.values];
    this.hasWeights = weights.subarray(0, this.count).some((weight) => weight !== weights[0]);
    this.values.clear();
    if (!this.hasWeights) return;
    this.unitWorth = this.relevanceRange(pool);
    for (let item = 0; item < this.count; item++)
      this.values.push(weights[item] * this.unitWorth + relevances[item]);
  }

  private buildRows({ pool, slots }: Pick<Selection, 'pool' | 'slots'>): void {
    const { limitStarts, limitIds, caps, injectedUses } = pool;
    this.limitUsers.fill(caps.length, 0);
    for (let k = 0; k < limitStarts.values[pool.count]; k++) this.limitUsers.values[limitIds.values[k]] += 1;
    this.rowOfLimit.fill(caps.length, -1);
    this.bounds.clear();
    for (let limit = 0; limit < caps.length; limit++) {
      const room = Math.max(0, caps.values[limit] - injectedUses.values[limit]);
      if (Math.min(slots, this.limitUsers.values[limit]) <= room) continue;
      this.rowOfLimit.values[limit] = this.bounds.length;
      this.bounds.push(room);
    }
    this.limitCount = this.bounds.length;
    for (let need = 0; need < pool.wants.length; need++) this.bounds.push(0);
  }

  private takeAll({ pool, order }: { pool: Selection['pool']; order: CandidateOrder }): void {
    const { candidates } = order;
    const mustServe = pool.count > maxItems;
    for (let place = 0; place < candidates.length && this.count < maxItems; place++) {
      const candidate = candidates.values[place];
      const serves = pool.needStarts.values[candidate] < pool.needStarts.values[candidate + 1];
      if (mustServe && !serves && place >= maxItems / 2) this.isComplete = false;
      else this.take(pool, candidate);
    }
    if (this.count === maxItems) this.isComplete = false;
  }

  private take(pool: Selection['pool'], candidate: number): void {
    const start = this.rowIds.length;
    const room = this.appendRows(pool, candidate);
    const found = room > 0 ? this.classOf(start) : -1;
    if (found < 0 || this.classSizes.values[found] >= room) {
      this.rowIds.length = start;
      return;
    }
    this.twins.push(this.lastItems.values[found]);
    this.branchKeys.push(this.branchKey(start));
    this.lastItems.values[found] = this.candidates.length;
    this.classSizes.values[found] += 1;
    this.candidates.push(candidate);
    const [weight, relevance] = [pool.weights.values[candidate], pool.relevances.values[candidate]];
    this.weights.push(this.unitsOf(weight));
    this.relevances.push(relevance);
    this.rowStarts.push(this.rowIds.length);
  }

  /** Appends the rows of a candidate; returns the number of its class that fits into a list. */
  private appendRows(pool: Selection['pool'], candidate: number): number {
    let room = this.slots;
    for (let k = pool.limitStarts.values[candidate]; k < pool.limitStarts.values[candidate + 1]; k++) {
      const row = this.rowOfLimit.values[pool.limitIds.values[k]];
      if (row < 0) continue;
      room = Math.min(room, this.bounds.values[row]);
      this.rowIds.push(row);
    }
    for (let k = pool.needStarts.values[candidate]; k < pool.needStarts.values[candidate + 1]; k++)
      this.rowIds.push(this.limitCount + pool.needIds.values[k]);
    return room;
  }

  /** Returns the class of the rows appended from `start` on, a new one if there is none. */
  private classOf(start: number): number {
    const mask = this.table.length - 1;
    let hash = 0;
    for (let k = start; k < this.rowIds.length; k++)
      hash = Math.imul(hash ^ this.rowIds.values[k], 0x9e3779b1);
    for (let at = (hash ^ (hash >>> 15)) & mask; ; at = (at + 1) & mask) {
      const found = this.table.values[at];
      if (found >= 0 && !this.usesSame(this.lastItems.values[found], start)) continue;
      if (found >= 0) return found;
      this.table.values[at] = this.lastItems.length;
      this.lastItems.push(-1);
      this.classSizes.push(0);
      return this.lastItems.length - 1;
    }
  }

  private branchKey(start: number): number {
    const [first, second] = [start, start + 1].map((k) =>
      k < this.rowIds.length ? this.rowIds.values[k] + 1 : 0,
    );
    const base = this.rowCount + 1;
    return ((this.rowIds.length - start) * base + first) * base + second;
  }

  private usesSame(item: number, start: number): boolean {
    const from = this.rowStarts.values[item];
    const length = this.rowStarts.values[item + 1] - from;
    if (length !== this.rowIds.length - start) return false;
    for (let k = 0; k < length; k++)
      if (this.rowIds.values[from + k] !== this.rowIds.values[start + k]) return false;
    return true;
  }

  private countUsers(): void {
    this.users.fill(this.rowCount, 0);
    for (let k = 0; k < this.rowIds.length; k++) this.users.values[this.rowIds.values[k]] += 1;
  }
}

/** Decimals up to which weights differ. */
const maxDecimals = 6;

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

function greatestDivisor(one: number, other: number): number {
  let [large, small] = [Math.abs(one), Math.abs(other)];
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/** Returns the largest common unit of all weights; a coarser one gives tighter bounds. */
function weightUnit({ values, length }: FloatList): number {
  let scale = 1;
  for (let k = 0; k < length; k++)
    while (scale < 10 ** maxDecimals && !isWhole(values[k] * scale)) scale *= 10;
  let divisor = 0;
  for (let k = 0; k < length && divisor !== 1; k++)
    divisor = greatestDivisor(divisor, Math.round(values[k] * scale));
  return (divisor || 1) / scale;
}
