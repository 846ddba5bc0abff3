/**
 * Items with similar vectors of the caller: the nearest ones of each item, found at training.
 *
 * Similarity to the mean of a subject's vectors is the mean of the similarities to each of them, so
 * a table of neighbours gives the same scores as a scan of all vectors, without its time.
 *
 * In a large catalogue an item is compared with a bounded number of others: items are grouped by
 * their nearest of some pivots, and groups are read in the order of their pivot's similarity
 * (inverted file; Jégou, Douze and Schmid, "Product Quantization for Nearest Neighbor Search", 2011).
 */

import { add, begin, createAccumulator } from './arrays/accumulator.ts';
import { createRowsBuilder, groupBy, type Rows } from './arrays/rows.ts';
import { createSimd } from './arrays/simd.ts';
import { beginTopN, createTopN, finishTopN, offer, offerTouched } from './arrays/top-n.ts';
import type { Algorithm, NoOptions } from './model.ts';
import { createNeighbourModel, scaleToUnitBest } from './neighbours.ts';
import { type RowStage, type RunRows, runRowsHere } from './row-stages.ts';

/** Vectors of one name: row r · factors[r] is the vector of items[r]. */
export type VectorRows = {
  /** Local items. */
  items: Int32Array;
  /** Multiples of 16 numbers a row. */
  numbers: Int8Array;
  factors: Float32Array;
};

/** 2,048 items with 256 dimensions; smaller catalogues are compared as a whole. */
const numbersComparedPerItem = 2 ** 19;

const neighbourCount = 50;

/** Length of the vector that rows of 8-bit numbers are multiplied with; products fit into 32 bits. */
const greatestOfTarget = 32_767;

export const vectors: Algorithm<Rows, NoOptions, Rows> = {
  name: 'vectors',
  train: (neighbours) => neighbours,
  serve: (neighbours, mapping) => createNeighbourModel('vectors', neighbours, mapping),
};

/**
 * Returns the neighbours of each local item. Each name is scaled so that best neighbours average 1;
 * several names count equally, and an item without one of them scores 0 there.
 */
export function findVectorNeighbours(
  named: readonly VectorRows[],
  itemCount: number,
  runRows: RunRows = runRowsHere,
): Rows {
  const tables = named.map((rows) =>
    scaleToUnitBest(runRows(vectorRows, planOf(rows, itemCount), itemCount)),
  );
  return tables.length === 1 ? tables[0] : meanOfTables(tables, itemCount);
}

function meanOfTables(tables: readonly Rows[], itemCount: number): Rows {
  const accumulator = createAccumulator(itemCount);
  const top = createTopN(neighbourCount);
  const mean = createRowsBuilder(itemCount);
  for (let item = 0; item < itemCount; item++) {
    begin(accumulator);
    for (const { offsets, items, scores } of tables)
      for (let at = offsets[item]; at < offsets[item + 1]; at++)
        add(accumulator, items[at], scores[at] / tables.length);
    beginTopN(top);
    offerTouched(top, accumulator);
    finishTopN(top);
    mean.appendRow(top);
  }
  return mean.finish();
}

type Plan = VectorRows & {
  rowBytes: number;
  /** Row of each local item, -1 without. */
  rowOfItem: Int32Array;
  /** The pivots, one a group; then the groups' rows, offsets[g] … offsets[g + 1]. */
  pivots: Int8Array;
  offsets: Int32Array;
};

export const vectorRows: RowStage<Plan> = { name: 'vectors', rows: findNeighbours };

/** Sorts the rows by group. */
function planOf({ items, numbers, factors }: VectorRows, itemCount: number): Plan {
  const rowCount = items.length;
  const rowBytes = rowCount === 0 ? 16 : numbers.length / rowCount;
  const isSmall = numbers.length <= numbersComparedPerItem;
  const groupCount = isSmall ? 1 : Math.ceil(Math.sqrt(rowCount));
  const rowAt = (row: number) => numbers.subarray(row * rowBytes, (row + 1) * rowBytes);
  const pivots = new Int8Array(groupCount * rowBytes);
  for (let group = 0; group < groupCount && !isSmall; group++)
    pivots.set(rowAt(Math.floor((group * rowCount) / groupCount)), group * rowBytes);
  const { offsets, order } = groupBy(nearestPivots(pivots, numbers, rowBytes), groupCount);
  const rowOfItem = new Int32Array(itemCount).fill(-1);
  const sorted = new Int8Array(numbers.length);
  for (const [place, row] of order.entries()) {
    rowOfItem[items[row]] = place;
    sorted.set(rowAt(row), place * rowBytes);
  }
  return {
    items: order.map((row) => items[row]),
    factors: Float32Array.from(order, (row) => factors[row]),
    numbers: sorted,
    ...{ rowBytes, rowOfItem, pivots, offsets },
  };
}

/** Returns the pivot with the smallest angle to each row. */
function nearestPivots(pivots: Int8Array, numbers: Int8Array, rowBytes: number): Int32Array {
  const nearest = new Int32Array(numbers.length / rowBytes);
  if (pivots.length === rowBytes) return nearest;
  const lengths = Float32Array.from({ length: pivots.length / rowBytes }, (_, pivot) =>
    lengthOf(pivots, pivot * rowBytes, rowBytes),
  );
  const matrix = createMatrix(pivots, rowBytes);
  for (let row = 0; row < nearest.length; row++) {
    matrix.aim(numbers, row * rowBytes);
    const products = matrix.products(0, lengths.length);
    let best = Number.NEGATIVE_INFINITY;
    for (let pivot = 0; pivot < lengths.length; pivot++) {
      const cosine = products[pivot] / lengths[pivot];
      if (cosine > best) [best, nearest[row]] = [cosine, pivot];
    }
  }
  return nearest;
}

function findNeighbours(plan: Plan, start: number, end: number): Rows {
  const { items, factors, numbers, rowBytes, rowOfItem, pivots, offsets } = plan;
  const [matrix, groups] = [numbers, pivots].map((rows) => createMatrix(rows, rowBytes));
  const groupCount = offsets.length - 1;
  const order = createTopN(groupCount);
  const top = createTopN(neighbourCount);
  const rows = createRowsBuilder(end - start);
  const compare = (own: number, first: number, last: number, scale: number) => {
    const products = matrix.products(first, last);
    for (let row = first; row < last; row++)
      if (row !== own) offer(top, items[row], Math.fround(products[row - first] * factors[row] * scale));
  };
  for (let item = start; item < end; item++) {
    beginTopN(top);
    const own = rowOfItem[item];
    if (own >= 0) {
      const scale = factors[own] * matrix.aim(numbers, own * rowBytes);
      groups.aim(numbers, own * rowBytes);
      const likeness = groups.products(0, groupCount);
      beginTopN(order);
      for (let group = 0; group < groupCount; group++) offer(order, group, likeness[group]);
      finishTopN(order);
      let left = Math.ceil(numbersComparedPerItem / rowBytes);
      for (let place = 0; place < groupCount && left > 0; place++) {
        const first = offsets[order.items[place]];
        const last = Math.min(offsets[order.items[place] + 1], first + left);
        compare(own, first, last, scale);
        left -= last - first;
      }
    }
    finishTopN(top);
    rows.appendRow(top);
  }
  return rows.finish();
}

/** Copies rows into memory of WebAssembly, which multiplies them with a vector. */
function createMatrix(rows: Int8Array, rowBytes: number) {
  const rowCount = rows.length / rowBytes;
  const places = { target: 0, rows: rowBytes * 2, products: rowBytes * 2 + rows.length };
  const { buffer, functions } = createSimd(places.products + rowCount * 4);
  new Int8Array(buffer, places.rows, rows.length).set(rows);
  const target = new Int16Array(buffer, places.target, rowBytes);
  const products = new Int32Array(buffer, places.products, rowCount);
  return {
    /** Sets the vector; returns the factor that restores its products. */
    aim(from: Int8Array, start: number): number {
      const length = lengthOf(from, start, rowBytes);
      for (let at = 0; at < rowBytes; at++)
        target[at] = Math.round((from[start + at] / (length || 1)) * greatestOfTarget);
      return length / greatestOfTarget;
    },
    /** Multiplies rows `first` … `last`; valid until the next call. */
    products(first: number, last: number): Int32Array {
      const [start, end] = [places.rows + first * rowBytes, places.rows + last * rowBytes];
      functions.byteDots(start, end, places.products, places.target, rowBytes);
      return products;
    },
  };
}

function lengthOf(numbers: Int8Array, start: number, count: number): number {
  let squares = 0;
  for (let at = start; at < start + count; at++) squares += numbers[at] ** 2;
  return Math.sqrt(squares);
}
