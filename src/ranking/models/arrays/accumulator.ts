/**
 * Sparse sums over dense indexes: a score per index and the list of indexes with a score.
 *
 * Allocated once and reused: `begin` clears the last request. Whether an added index is new is
 * unpredictable, and mispredicted branches cost more than all else. The code avoids branches: it
 * writes each index to the end of the list and keeps it only if new.
 */

export type Accumulator = {
  /** 0 without a sum. */
  scores: Float32Array;
  /** The same memory as bits. */
  bits: Int32Array;
  /** 1 for indexes with a sum. */
  isSummed: Uint8Array;
  /** The first `touchedCount` entries are the indexes with a score, in order of first touch. */
  touched: Int32Array;
  touchedCount: number;
};

/** Share of summed indexes from which clearing all in order is cheaper. */
const clearedTogether = 1 / 8;

export function createAccumulator(capacity: number): Accumulator {
  const scores = new Float32Array(capacity);
  return {
    scores,
    bits: new Int32Array(scores.buffer),
    isSummed: new Uint8Array(capacity),
    /** One spare entry: each index is written before it is known to be new. */
    touched: new Int32Array(capacity + 1),
    touchedCount: 0,
  };
}

/** Clears all sums and reserves space for indexes below `capacity`. */
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
}

/** Reserves space for indexes below `capacity` and keeps all sums, for newer items. */
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

/** Adds `value` to the sum at `index`; the first addition, even of 0, makes it a candidate. */
export function add(accumulator: Accumulator, index: number, value: number): void {
  const { scores, isSummed, touched, touchedCount } = accumulator;
  touched[touchedCount] = index;
  accumulator.touchedCount = touchedCount + 1 - isSummed[index];
  isSummed[index] = 1;
  scores[index] += value;
}

export type Run = { items: Int32Array; scores: Float32Array };

/** Adds `scale` · score for the entries from `start` to `end`, faster than `add`. */
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

/** Adds to a list of indexes, each with its own value. */
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

/** Adds only to indexes that already have a sum. */
export function liftRun(accumulator: Accumulator, run: Run, start: number, end: number, scale: number): void {
  const { scores, isSummed } = accumulator;
  const { items, scores: values } = run;
  for (let entry = start; entry < end; entry++) {
    scores[items[entry]] += scale * values[entry] * isSummed[items[entry]];
  }
}

/** Adds `scale` · value to every sum; indexes beyond the values get none. */
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

/** Makes the indexes candidates, with a score of 0 if new. */
export function touchAll(accumulator: Accumulator, indexes: Int32Array): void {
  for (const index of indexes) add(accumulator, index, 0);
}

/** Returns whether an index has a sum; false beyond the capacity. */
export function isTouched(accumulator: Accumulator, index: number): boolean {
  return accumulator.isSummed[index] === 1;
}
