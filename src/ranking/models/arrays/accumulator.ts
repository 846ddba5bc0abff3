/**
 * Sparse sums over dense indexes: a score per index and the list of indexes that have one.
 *
 * Allocated once and used for many requests: `begin` clears what the last request left. Sums are added at random places, and
 * whether a place has one already is as good as chance; a processor that guesses wrong loses more time than all the rest takes.
 * So nothing branches on it: an index is written where the next would stand in the list, and stays there if it is new.
 */

export type Accumulator = {
  /** 0 where there is no sum. */
  scores: Float32Array;
  /** The same memory: the bits of each score. */
  bits: Int32Array;
  /** 1 where there is a sum. */
  isSummed: Uint8Array;
  /** The first `touchedCount` entries are the indexes with a score, in the order of first touch. */
  touched: Int32Array;
  touchedCount: number;
  /**
   * The first `leaderCount` entries are the indexes of the best sums when they were chosen (score-floor.ts), -1 before. Every
   * other sum was below `leaderFloor` then, and whoever adds to sums afterwards may raise leaders only.
   */
  leaders: Int32Array;
  leaderCount: number;
  leaderFloor: number;
};

/** With more sums than such a share of all indexes, all are cleared: in order that costs less. */
const clearedTogether = 1 / 8;

export function createAccumulator(capacity: number): Accumulator {
  const scores = new Float32Array(capacity);
  return {
    scores,
    bits: new Int32Array(scores.buffer),
    isSummed: new Uint8Array(capacity),
    /** One more than there can be: where the next would stand is written before it is known whether there is one. */
    touched: new Int32Array(capacity + 1),
    touchedCount: 0,
    leaders: new Int32Array(0),
    leaderCount: -1,
    leaderFloor: Number.NEGATIVE_INFINITY,
  };
}

/** Forgets every sum and makes room for indexes below `capacity`. */
export function begin(accumulator: Accumulator, capacity = 0): void {
  const { scores, isSummed, touched, touchedCount } = accumulator;
  const known = scores.length;
  if (capacity > known) {
    Object.assign(accumulator, createAccumulator(Math.max(capacity, known * 2)));
    return;
  }
  if (touchedCount > known * clearedTogether) {
    scores.fill(0);
    isSummed.fill(0);
  } else {
    for (let place = 0; place < touchedCount; place++) {
      scores[touched[place]] = 0;
      isSummed[touched[place]] = 0;
    }
  }
  accumulator.touchedCount = 0;
  accumulator.leaderCount = -1;
}

/** Makes room for indexes below `capacity` and keeps every sum: for items that are newer than the tables in use. */
export function reserve(accumulator: Accumulator, capacity: number): void {
  const { scores, isSummed, touched, touchedCount } = accumulator;
  if (capacity <= scores.length) return;
  const larger = createAccumulator(Math.max(capacity, scores.length * 2));
  larger.scores.set(scores);
  larger.isSummed.set(isSummed);
  larger.touched.set(touched.subarray(0, touchedCount));
  accumulator.scores = larger.scores;
  accumulator.bits = larger.bits;
  accumulator.isSummed = larger.isSummed;
  accumulator.touched = larger.touched;
}

/** Adds `value` to the sum at `index`; the first addition makes it a candidate, even with a value of 0. */
export function add(accumulator: Accumulator, index: number, value: number): void {
  const { scores, isSummed, touched, touchedCount } = accumulator;
  touched[touchedCount] = index;
  accumulator.touchedCount = touchedCount + 1 - isSummed[index];
  isSummed[index] = 1;
  scores[index] += value;
}

/** Entries of a table, each of an index. */
export type Run = { items: Int32Array; scores: Float32Array };

/** Adds `scale` · score for the entries from `start` to `end`: `add` for each at a fraction of the cost. */
export function addRun(accumulator: Accumulator, run: Run, start: number, end: number, scale: number): void {
  const { scores, isSummed, touched } = accumulator;
  const { items, scores: values } = run;
  let count = accumulator.touchedCount;
  for (let entry = start; entry < end; entry++) {
    const index = items[entry];
    touched[count] = index;
    count += 1 - isSummed[index];
    isSummed[index] = 1;
    scores[index] += scale * values[entry];
  }
  accumulator.touchedCount = count;
}

/** The same for a list of indexes, each with its own value. */
export function addEach(
  accumulator: Accumulator,
  indexes: Int32Array,
  start: number,
  end: number,
  { values, scale }: { values: Float32Array; scale: number },
): void {
  const { scores, isSummed, touched } = accumulator;
  let count = accumulator.touchedCount;
  for (let place = start; place < end; place++) {
    const index = indexes[place];
    touched[count] = index;
    count += 1 - isSummed[index];
    isSummed[index] = 1;
    scores[index] += scale * values[index];
  }
  accumulator.touchedCount = count;
}

/** The same for indexes that have a sum already; it gives none to others. */
export function liftRun(accumulator: Accumulator, run: Run, start: number, end: number, scale: number): void {
  const { scores, isSummed } = accumulator;
  const { items, scores: values } = run;
  for (let entry = start; entry < end; entry++) {
    scores[items[entry]] += scale * values[entry] * isSummed[items[entry]];
  }
}

/** Adds `scale` · its value to every sum; indexes beyond the values get none. */
export function liftAll(
  { scores, touched, touchedCount }: Accumulator,
  values: Float32Array,
  scale = 1,
): void {
  if (values.length === 0) return;
  for (let place = 0; place < touchedCount; place++) {
    const index = touched[place];
    if (index < values.length) scores[index] += scale * values[index];
  }
}

/** Makes those candidates that have no score yet. */
export function touchAll(accumulator: Accumulator, indexes: Int32Array): void {
  for (const index of indexes) add(accumulator, index, 0);
}

/** Whether leaders have been chosen since `begin`. */
export function isLed({ leaderCount }: Accumulator): boolean {
  return leaderCount >= 0;
}

/** Indexes beyond the capacity have no sum. */
export function isTouched(accumulator: Accumulator, index: number): boolean {
  return accumulator.isSummed[index] === 1;
}
