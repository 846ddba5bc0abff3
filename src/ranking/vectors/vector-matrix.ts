/**
 * Vectors of items as rows of 8-bit integers, and exact scans of all rows in WebAssembly.
 *
 * A row y becomes round(y · 127 / max |y|) with the factor that restores it. The target keeps 16 bits:
 * it becomes round(x · 32,767 / |x|), so by Cauchy and Schwarz no sum of products exceeds 2^28.
 */

import { grown } from '../catalog/growth.ts';
import { createSimd } from '../models/arrays/simd.ts';
import { nextTurn } from '../runtime/slices.ts';
import { createTop } from '../search/scoring/top.ts';

const greatest = 127;
const greatestOfTarget = 32_767;

/** Numbers of a row are padded to a multiple of 16. */
const alignment = 16;

/** Rows multiplied before their products are read. */
const rowsAtOnce = 4_096;

/** Spare rows for new items, so that few of them need more memory. */
const spareShare = 1.25;

/** Bytes of a row besides its numbers: factor, item, and row of the item. */
const bytesBeside = 12;

export type Similar = { items: number[]; similarities: number[] };

export type VectorMatrix = ReturnType<typeof createVectorMatrix>;

/** Time after which a scan lets other work of the thread run. */
const sliceMs = 2;

export type Selection = {
  /** Most results. */
  wanted: number;
  /** Called only for items that would be results. */
  admits(itemIndex: number): boolean;
  /** Orders equal similarities. */
  comesBefore(itemIndex: number, other: number): boolean;
};

export function createVectorMatrix(dimensions: number) {
  const rows = createRows(dimensions);
  const { functions, places, rowBytes } = rows;

  /** Returns the factor that restores the products of a row of factor 1. */
  const writeTarget = (target: Float64Array): number => {
    const length = lengthOf(target);
    const whole = new Int16Array(rows.buffer, places.target, rowBytes);
    for (let at = 0; at < dimensions; at++) whole[at] = Math.round((target[at] / length) * greatestOfTarget);
    return length / greatestOfTarget;
  };

  const multiply = (start: number, end: number, { similarities, items }: Measured): void => {
    const { factors, itemOfRow, buffer } = rows;
    const [first, last] = [places.rows + start * rowBytes, places.rows + end * rowBytes];
    functions.byteDots(first, last, places.products, places.target, rowBytes);
    const products = new Int32Array(buffer, places.products, rowsAtOnce);
    for (let row = start; row < end; row++) similarities[row] = products[row - start] * factors[row];
    items.set(itemOfRow.subarray(start, end), start);
  };

  return {
    get count() {
      return rows.count;
    },
    /** Bytes of the rows in use. */
    get byteLength() {
      return rows.count * (rowBytes + bytesBeside);
    },
    has: (itemIndex: number) => rows.of(itemIndex) >= 0,
    /** The rows in use, as they are now. */
    rows: () => rowsInUse(rows),
    /** Replaces the item's vector; undefined removes it. */
    write(itemIndex: number, values: ArrayLike<number> | undefined): void {
      const known = rows.of(itemIndex);
      if (values !== undefined) rows.fill(known >= 0 ? known : rows.add(itemIndex), values);
      else if (known >= 0) rows.remove(known);
    },
    /** Adds weight · vector of the item, which must have one. */
    addTo(target: Float64Array, itemIndex: number, weight: number): void {
      const row = rows.of(itemIndex);
      const factor = weight * rows.factors[row];
      for (let at = 0; at < dimensions; at++) target[at] += factor * rows.numbers[row * rowBytes + at];
    },
    /**
     * Computes the dot products of all rows, in slices of time, and returns a function that selects the
     * admitted items with the largest, in this order. Items that are written meanwhile may be missing.
     */
    async scan(target: Float64Array): Promise<(selection: Selection) => Similar> {
      const similarities = new Float32Array(rows.count);
      const items = new Int32Array(rows.count);
      let targetFactor = writeTarget(target);
      let startMs = performance.now();
      let start = 0;
      while (start < Math.min(items.length, rows.count)) {
        if (performance.now() - startMs >= sliceMs) {
          await nextTurn();
          startMs = performance.now();
          /** Another scan may have replaced it. */
          targetFactor = writeTarget(target);
        }
        const end = Math.min(items.length, rows.count, start + rowsAtOnce);
        if (start < end) multiply(start, end, { similarities, items });
        start += rowsAtOnce;
      }
      return (selection) =>
        select({ similarities, items, count: Math.min(start, items.length) }, targetFactor, selection);
    },
  };
}

function rowsInUse({ count, rowBytes, itemOfRow, numbers, factors }: ReturnType<typeof createRows>) {
  const used = numbers.subarray(0, count * rowBytes);
  return { items: itemOfRow.subarray(0, count), numbers: used, factors: factors.subarray(0, count) };
}

type Measured = { similarities: Float32Array; items: Int32Array };

function select(
  { similarities, items, count }: Measured & { count: number },
  factor: number,
  { wanted, admits, comesBefore }: Selection,
): Similar {
  const top = createTop(Math.min(wanted, count), comesBefore);
  top.begin(wanted);
  for (let row = 0; row < count; row++)
    if (similarities[row] >= top.threshold && admits(items[row])) top.offer(items[row], similarities[row]);
  top.finish();
  return {
    items: [...top.items.subarray(0, top.size)],
    similarities: Array.from(top.keys.subarray(0, top.size), (product) => product * factor),
  };
}

/** Rows without gaps: the last one takes the place of a removed one. */
function createRows(dimensions: number) {
  const rowBytes = Math.ceil(dimensions / alignment) * alignment;
  const places = { target: 0, products: rowBytes * 2, rows: rowBytes * 2 + rowsAtOnce * 4 };
  const { functions, grow, ...memory } = createSimd(places.rows);
  let { buffer } = memory;
  let numbers = new Int8Array(0);
  let factors = new Float32Array(0);
  let itemOfRow = new Int32Array(0);
  /** Row of an item plus 1; 0 without a row. */
  let placeOfItem = new Int32Array(0);
  let count = 0;

  return {
    ...{ functions, places, rowBytes },
    get buffer() {
      return buffer;
    },
    get numbers() {
      return numbers;
    },
    get factors() {
      return factors;
    },
    get itemOfRow() {
      return itemOfRow;
    },
    get count() {
      return count;
    },
    /** Returns the row of an item; -1 without one. */
    of: (itemIndex: number): number => (placeOfItem[itemIndex] ?? 0) - 1,
    add(itemIndex: number): number {
      const row = count++;
      if (count * rowBytes > numbers.length) {
        const capacity = Math.ceil(count * spareShare) + 64;
        buffer = grow(places.rows + capacity * rowBytes);
        numbers = new Int8Array(buffer, places.rows, capacity * rowBytes);
      }
      factors = grown(factors, count, 0);
      itemOfRow = grown(itemOfRow, count, 0);
      placeOfItem = grown(placeOfItem, itemIndex + 1, 0);
      itemOfRow[row] = itemIndex;
      placeOfItem[itemIndex] = count;
      return row;
    },
    fill(row: number, values: ArrayLike<number>): void {
      let largest = 0;
      for (let at = 0; at < dimensions; at++) largest = Math.max(largest, Math.abs(values[at]));
      const scale = largest === 0 ? 0 : greatest / largest;
      for (let at = 0; at < dimensions; at++) numbers[row * rowBytes + at] = Math.round(values[at] * scale);
      factors[row] = largest / greatest;
    },
    remove(row: number): void {
      placeOfItem[itemOfRow[row]] = 0;
      const last = --count;
      if (row === last) return;
      numbers.copyWithin(row * rowBytes, last * rowBytes, (last + 1) * rowBytes);
      factors[row] = factors[last];
      itemOfRow[row] = itemOfRow[last];
      placeOfItem[itemOfRow[row]] = row + 1;
    },
  };
}

export function lengthOf(vector: Float64Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
