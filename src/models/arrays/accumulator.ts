/**
 * Sparse sums over dense indexes: a score per index and the list of indexes that have one.
 *
 * Allocated once and used for many requests. An index without a sum holds minus infinity, to which anything can be added
 * and it stays, so one array says both whether there is a sum and which: sums are added at random places, and each array more
 * would be another miss of the cache. `begin` puts minus infinity back where the last request left sums.
 */

export type Accumulator = {
  /** Minus infinity where there is no sum. */
  scores: Float32Array;
  /** The same memory: the bits of each score. */
  bits: Int32Array;
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

/** What an index holds that has no sum. */
const none = Number.NEGATIVE_INFINITY;
const noneBits = 0xff800000 | 0;

/** With more sums than such a share of all indexes, all are cleared: in order that costs less. */
const clearedTogether = 1 / 8;

export function createAccumulator(capacity: number): Accumulator {
  const scores = new Float32Array(capacity).fill(none);
  return {
    scores,
    bits: new Int32Array(scores.buffer),
    /** One more than there can be: where the next would stand is written before it is known whether there is one. */
    touched: new Int32Array(capacity + 1),
    touchedCount: 0,
    leaders: new Int32Array(0),
    leaderCount: -1,
    leaderFloor: none,
  };
}

/** Forgets every sum and makes room for indexes below `capacity`. */
export function begin(accumulator: Accumulator, capacity = 0): void {
  const { scores, touched, touchedCount } = accumulator;
  if (capacity > scores.length) {
    Object.assign(accumulator, createAccumulator(Math.max(capacity, scores.length * 2)));
    return;
  }
  if (touchedCount > scores.length * clearedTogether) scores.fill(none);
  else for (let place = 0; place < touchedCount; place++) scores[touched[place]] = none;
  accumulator.touchedCount = 0;
  accumulator.leaderCount = -1;
}

/** Makes room for indexes below `capacity` and keeps every sum: for items that are newer than the tables in use. */
export function reserve(accumulator: Accumulator, capacity: number): void {
  const { scores, touched } = accumulator;
  if (capacity <= scores.length) return;
  const larger = createAccumulator(Math.max(capacity, scores.length * 2));
  larger.scores.set(scores);
  larger.touched.set(touched);
  accumulator.scores = larger.scores;
  accumulator.bits = larger.bits;
  accumulator.touched = larger.touched;
}

/** Adds `value` to the sum at `index`; the first addition makes it a candidate, even with a value of 0. */
export function add(accumulator: Accumulator, index: number, value: number): void {
  const { scores } = accumulator;
  if (scores[index] !== none) {
    scores[index] += value;
    return;
  }
  scores[index] = value;
  accumulator.touched[accumulator.touchedCount++] = index;
}

/** Entries of a table: `indexOf` gives the index that an entry's item stands for, or -1 for none. */
export type Run = { items: Int32Array; scores: Float32Array; indexOf: Int32Array };

/**
 * Adds `scale` · score for the entries from `start` to `end`: `add` for each at a third of the cost. Whether an index has a sum
 * already is as good as chance, and a processor that guesses wrong loses more time than all the rest takes; so nothing branches
 * on it, and a mask of bits turns minus infinity into the 0 that is added to.
 */
export function addRun(accumulator: Accumulator, run: Run, start: number, end: number, scale: number): void {
  const { scores, bits, touched } = accumulator;
  const { items, scores: values, indexOf } = run;
  let count = accumulator.touchedCount;
  for (let entry = start; entry < end; entry++) {
    const index = indexOf[items[entry]];
    if (index < 0) continue;
    const difference = bits[index] ^ noneBits;
    const mask = (difference | (0 - difference)) >> 31;
    touched[count] = index;
    count += 1 + mask;
    bits[index] &= mask;
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
  const { scores, bits, touched } = accumulator;
  let count = accumulator.touchedCount;
  for (let place = start; place < end; place++) {
    const index = indexes[place];
    const difference = bits[index] ^ noneBits;
    const mask = (difference | (0 - difference)) >> 31;
    touched[count] = index;
    count += 1 + mask;
    bits[index] &= mask;
    scores[index] += scale * values[index];
  }
  accumulator.touchedCount = count;
}

/** The same for indexes that have a sum already; it gives none to others. */
export function liftRun({ scores }: Accumulator, run: Run, start: number, end: number, scale: number): void {
  const { items, scores: values, indexOf } = run;
  for (let entry = start; entry < end; entry++) {
    const index = indexOf[items[entry]];
    if (index >= 0) scores[index] += scale * values[entry];
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

/** Whether leaders have been chosen since `begin`. */
export function isLed({ leaderCount }: Accumulator): boolean {
  return leaderCount >= 0;
}

/** Indexes beyond the capacity have no sum. */
export function isTouched({ scores }: Accumulator, index: number): boolean {
  return index < scores.length && scores[index] !== none;
}
