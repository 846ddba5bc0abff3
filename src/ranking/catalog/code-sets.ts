/**
 * A small set of codes per item, without an object per item.
 *
 * `heads[i]` is the first code or -1. A column without values costs nothing, and one with single
 * values four bytes per item. Further codes are in one pool, by start and count. A replaced item
 * leaves a hole in the pool, which is packed when half of it is holes.
 */
import { grown } from './growth.ts';

export type Value = string | number | boolean;

/** Values that many items share, by codes that are valid until the catalogue's next write. */
export type CodedValues = {
  /** All codes are below this number. */
  readonly codeLimit: number;
  /** Counts the values of `itemCount` items by code; a path counts for its ancestors. */
  countInto(items: Int32Array, itemCount: number, counts: Int32Array): void;
  /** Writes the item's codes, of paths also the ancestors; returns their number. */
  codesAt(itemIndex: number, codes: number[]): number;
  valueOf(code: number): Value;
  /** For numbers: whether items share them, so that ranges are counted by codes. */
  isShared?(): boolean;
};

export type CodeSets = {
  count(itemIndex: number): number;
  /** Returns the code at a place below count(itemIndex). */
  at(itemIndex: number, place: number): number;
  replace(itemIndex: number, codes: readonly number[]): void;
  /** Counts each code of the first `itemCount` items. */
  countInto(items: Int32Array, itemCount: number, counts: Int32Array): void;
  /** Counts items with one code; returns the number of the `others` with several. */
  countSingle(items: Int32Array, itemCount: number, counts: Int32Array, others: Int32Array): number;
};

export function someCode(sets: CodeSets, itemIndex: number, accepts: (code: number) => boolean): boolean {
  const count = sets.count(itemIndex);
  for (let place = 0; place < count; place++) if (accepts(sets.at(itemIndex, place))) return true;
  return false;
}

/** Writes the item's codes into `codes`; returns their number. */
export function codesInto(sets: CodeSets, itemIndex: number, codes: (number | string)[]): number {
  const count = sets.count(itemIndex);
  for (let place = 0; place < count; place++) codes[place] = sets.at(itemIndex, place);
  return count;
}

/** Entries of the pool from which packing is worthwhile. */
const packAbove = 1024;

function countHeads(heads: Int32Array, items: Int32Array, itemCount: number, counts: Int32Array): void {
  for (let i = 0; i < itemCount; i++) {
    const head = items[i] < heads.length ? heads[items[i]] : -1;
    if (head >= 0) counts[head] += 1;
  }
}

export function createCodeSets(): CodeSets {
  let heads = new Int32Array(0);
  let starts = new Int32Array(0);
  let restCounts = new Int32Array(0);
  let pool = new Int32Array(0);
  let poolLength = 0;
  let liveLength = 0;

  const pack = (): void => {
    const packed = new Int32Array(Math.max(64, liveLength * 2));
    let length = 0;
    for (let i = 0; i < restCounts.length; i++) {
      const start = starts[i];
      starts[i] = length;
      for (let k = 0; k < restCounts[i]; k++) packed[length++] = pool[start + k];
    }
    pool = packed;
    poolLength = length;
  };

  const replaceRest = (itemIndex: number, codes: readonly number[]): void => {
    starts = grown(starts, itemIndex + 1, 0);
    restCounts = grown(restCounts, itemIndex + 1, 0);
    const restCount = Math.max(0, codes.length - 1);
    liveLength += restCount - restCounts[itemIndex];
    restCounts[itemIndex] = 0;
    if (poolLength > packAbove && poolLength > liveLength * 2) pack();
    pool = grown(pool, poolLength + restCount, 0);
    starts[itemIndex] = poolLength;
    restCounts[itemIndex] = restCount;
    for (let k = 1; k < codes.length; k++) pool[poolLength++] = codes[k];
  };

  return {
    count: (itemIndex) => (heads[itemIndex] >= 0 ? 1 + (restCounts[itemIndex] ?? 0) : 0),
    at: (itemIndex, place) => (place === 0 ? heads[itemIndex] : pool[starts[itemIndex] + place - 1]),
    countSingle(items, itemCount, counts, others) {
      let otherCount = 0;
      for (let i = 0; i < itemCount; i++) {
        const itemIndex = items[i];
        const head = itemIndex < heads.length ? heads[itemIndex] : -1;
        if (head < 0) continue;
        if (itemIndex < restCounts.length && restCounts[itemIndex] > 0) others[otherCount++] = itemIndex;
        else counts[head] += 1;
      }
      return otherCount;
    },
    countInto(items, itemCount, counts) {
      if (liveLength === 0) return countHeads(heads, items, itemCount, counts);
      for (let i = 0; i < itemCount; i++) {
        const itemIndex = items[i];
        const head = itemIndex < heads.length ? heads[itemIndex] : -1;
        if (head < 0) continue;
        counts[head] += 1;
        const end = itemIndex < restCounts.length ? starts[itemIndex] + restCounts[itemIndex] : 0;
        for (let at = end > 0 ? starts[itemIndex] : 0; at < end; at++) counts[pool[at]] += 1;
      }
    },
    replace(itemIndex, codes) {
      if (codes.length === 0 && itemIndex >= heads.length) return;
      heads = grown(heads, itemIndex + 1, -1);
      heads[itemIndex] = codes.length > 0 ? codes[0] : -1;
      if (codes.length > 1 || restCounts[itemIndex] > 0) replaceRest(itemIndex, codes);
    },
  };
}
