/**
 * A small set of codes per item, without an object per item.
 *
 * `heads[i]` is the first code or -1; a column that never sees a value costs nothing, one that never sees a second value costs
 * four bytes an item. Further codes
 * lie in one pool, found by start and count. A replaced item leaves a hole there; the pool is packed when half of it is holes.
 */
import { grown } from './growth.ts';

export type CodeSets = {
  count(itemIndex: number): number;
  /** The code at a place below count(itemIndex). */
  at(itemIndex: number, place: number): number;
  replace(itemIndex: number, codes: readonly number[]): void;
  /** Adds one by each code of the first `itemCount` items. */
  countInto(items: Int32Array, itemCount: number, counts: Int32Array): void;
  /** The same of items with one code; writes those with several into `others` and returns how many there are. */
  countSingle(items: Int32Array, itemCount: number, counts: Int32Array, others: Int32Array): number;
};

/** Below this many pool entries packing is not worth it. */
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
