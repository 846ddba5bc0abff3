/**
 * Sparse sums over dense indexes: a score per index and the list of indexes that have one.
 *
 * Allocated once and used for many requests. `begin` forgets the sums in constant time: a score counts only while
 * its stamp equals the current epoch, so nothing is cleared between requests.
 */

export type Accumulator = {
  /** Valid only where `stamps[index] === epoch`. */
  scores: Float32Array;
  stamps: Int32Array;
  /** The first `touchedCount` entries are the indexes with a score, in the order of first touch. */
  touched: Int32Array;
  touchedCount: number;
  epoch: number;
};

/** Stamps are Int32, so epochs start again from the beginning here. */
const MAX_EPOCH = 0x7ffffffe;

export function createAccumulator(capacity: number): Accumulator {
  return {
    scores: new Float32Array(capacity),
    stamps: new Int32Array(capacity),
    touched: new Int32Array(capacity),
    touchedCount: 0,
    epoch: 1,
  };
}

/** Forgets every sum and makes room for indexes below `capacity`. */
export function begin(accumulator: Accumulator, capacity = 0): void {
  if (capacity > accumulator.scores.length) {
    Object.assign(accumulator, createAccumulator(Math.max(capacity, accumulator.scores.length * 2)));
    return;
  }
  accumulator.touchedCount = 0;
  if (accumulator.epoch >= MAX_EPOCH) {
    accumulator.stamps.fill(0);
    accumulator.epoch = 0;
  }
  accumulator.epoch += 1;
}

/** Makes room for indexes below `capacity` and keeps every sum: for items that are newer than the tables in use. */
export function reserve(accumulator: Accumulator, capacity: number): void {
  const { scores, stamps, touched } = accumulator;
  if (capacity <= scores.length) return;
  const length = Math.max(capacity, scores.length * 2);
  accumulator.scores = new Float32Array(length);
  accumulator.stamps = new Int32Array(length);
  accumulator.touched = new Int32Array(length);
  accumulator.scores.set(scores);
  accumulator.stamps.set(stamps);
  accumulator.touched.set(touched);
}

/** Adds `value` to the sum at `index`; the first addition makes it a candidate, even with a value of 0. */
export function add(accumulator: Accumulator, index: number, value: number): void {
  if (accumulator.stamps[index] === accumulator.epoch) {
    accumulator.scores[index] += value;
    return;
  }
  accumulator.stamps[index] = accumulator.epoch;
  accumulator.scores[index] = value;
  accumulator.touched[accumulator.touchedCount++] = index;
}

/** Entries of a table: `indexOf` gives the index that an entry's item stands for, or -1 for none. */
export type Run = { items: Int32Array; scores: Float32Array; indexOf: Int32Array };

/** Adds `scale` · score for the entries from `start` to `end`: `add` for each at half the cost, as arrays are looked up once. */
export function addRun(accumulator: Accumulator, run: Run, start: number, end: number, scale: number): void {
  const { scores, stamps, touched, epoch } = accumulator;
  const { items, scores: values, indexOf } = run;
  let count = accumulator.touchedCount;
  for (let entry = start; entry < end; entry++) {
    const index = indexOf[items[entry]];
    if (index < 0) continue;
    const value = scale * values[entry];
    if (stamps[index] === epoch) scores[index] += value;
    else {
      stamps[index] = epoch;
      scores[index] = value;
      touched[count++] = index;
    }
  }
  accumulator.touchedCount = count;
}

/** The same for indexes that have a sum already; it gives none to others. */
export function liftRun(accumulator: Accumulator, run: Run, start: number, end: number, scale: number): void {
  const { scores, stamps, epoch } = accumulator;
  const { items, scores: values, indexOf } = run;
  for (let entry = start; entry < end; entry++) {
    const index = indexOf[items[entry]];
    if (index >= 0 && stamps[index] === epoch) scores[index] += scale * values[entry];
  }
}

/** Adds `scale` · value to every sum, with the value of what `localOf` gives for its index; -1 for none. */
export function liftAll(
  { scores, touched, touchedCount }: Accumulator,
  values: Float32Array,
  localOf: Int32Array,
  scale: number,
): void {
  for (let place = 0; place < touchedCount; place++) {
    const local = localOf[touched[place]];
    if (local >= 0) scores[touched[place]] += scale * values[local];
  }
}

/** Adds its value to every sum; indexes beyond the values get none. */
export function liftEach({ scores, touched, touchedCount }: Accumulator, values: Float32Array): void {
  if (values.length === 0) return;
  for (let place = 0; place < touchedCount; place++) {
    const index = touched[place];
    if (index < values.length) scores[index] += values[index];
  }
}

/** Makes the first `count` items candidates that have no score yet; `indexOf` gives -1 for none. */
export function touchFirst(
  accumulator: Accumulator,
  items: Int32Array,
  count: number,
  indexOf: Int32Array,
): void {
  for (let place = 0; place < count && place < items.length; place++) {
    const index = indexOf[items[place]];
    if (index >= 0) add(accumulator, index, 0);
  }
}

export function isTouched(accumulator: Accumulator, index: number): boolean {
  return accumulator.stamps[index] === accumulator.epoch;
}
