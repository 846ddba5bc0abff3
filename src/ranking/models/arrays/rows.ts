/**
 * Rows of scored indexes in compressed sparse row form: row r is the range offsets[r] … offsets[r +
 * 1] of `items` and `scores`. Item-item models have a row per item (its neighbours), popularity has
 * a row per segment (its head).
 */

import type { TopN } from './top-n.ts';

export type Rows = {
  /** Length: rows + 1. */
  offsets: Int32Array;
  /** Within a row best first, equal scores by index. */
  items: Int32Array;
  scores: Float32Array;
};

export type RowsBuilder = {
  /** Appends the next row from a finished TopN, without scores of 0 or less. */
  appendRow(top: TopN): void;
  finish(): Rows;
};

export function createRowsBuilder(rowCount: number): RowsBuilder {
  const offsets = new Int32Array(rowCount + 1);
  let items = new Int32Array(1024);
  let scores = new Float32Array(1024);
  let row = 0;
  let used = 0;
  return {
    appendRow(top) {
      items = grow(items, used + top.size);
      scores = grow(scores, used + top.size);
      for (let rank = 0; rank < top.size && top.scores[rank] > 0; rank++, used++) {
        items[used] = top.items[rank];
        scores[used] = top.scores[rank];
      }
      offsets[++row] = used;
    },
    finish: () => ({ offsets, items: items.slice(0, used), scores: scores.slice(0, used) }),
  };
}

/** Returns the array if it holds `length` entries, else a copy of at least twice the size. */
export function grow<T extends Int32Array | Float32Array | Float64Array | Uint8Array>(
  array: T,
  length: number,
): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2));
  larger.set(array);
  return larger;
}

/**
 * Groups entries by key with one counting sort: the entries of key k are order[offsets[k] …
 * offsets[k + 1]], in original order. Negative keys are left out.
 */
export function groupBy(keys: Int32Array, keyCount: number): { offsets: Int32Array; order: Int32Array } {
  const offsets = new Int32Array(keyCount + 1);
  for (const key of keys) if (key >= 0) offsets[key + 1] += 1;
  for (let key = 0; key < keyCount; key++) offsets[key + 1] += offsets[key];
  const order = new Int32Array(offsets[keyCount]);
  const next = offsets.slice();
  for (let entry = 0; entry < keys.length; entry++) {
    if (keys[entry] >= 0) order[next[keys[entry]]++] = entry;
  }
  return { offsets, order };
}

/** Transposes rows of a square table; keeps the best entries of each result, at most `most`. */
export function transposeRows({ offsets, items, scores }: Rows, most: number): Rows {
  const rowCount = offsets.length - 1;
  const { offsets: columnOffsets, order } = groupBy(items, rowCount);
  const rowOf = new Int32Array(items.length);
  for (let row = 0; row < rowCount; row++) rowOf.fill(row, offsets[row], offsets[row + 1]);
  const keptOffsets = new Int32Array(rowCount + 1);
  for (let column = 0; column < rowCount; column++) {
    const entries = order
      .subarray(columnOffsets[column], columnOffsets[column + 1])
      .sort((a, b) => scores[b] - scores[a] || a - b)
      .subarray(0, most);
    order.set(entries, keptOffsets[column]);
    keptOffsets[column + 1] = keptOffsets[column] + entries.length;
  }
  const kept = order.subarray(0, keptOffsets[rowCount]);
  return {
    offsets: keptOffsets,
    items: kept.map((entry) => rowOf[entry]),
    scores: Float32Array.from(kept, (entry) => scores[entry]),
  };
}
