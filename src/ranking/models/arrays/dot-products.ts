/**
 * Computes dot products of a vector with many rows of a matrix in WebAssembly (simd-products.as),
 * over ten times as fast as JavaScript. The matrix is copied as 16-bit integers, because reading it
 * takes most of the time.
 *
 * A row y becomes round(y · 32,767 / |y|), and so does the vector. By Cauchy and Schwarz no sum of
 * products then exceeds 2^30, and rounding changes a product by some 10^-5 · |x| · |y|.
 */

import { createSimd, vectorBytes } from './simd.ts';

const numbersPerVector = 8;

const greatest = 32_767;

/** Numbers copied at a time: 1 to 4 ms. */
const copiedAtOnce = 2 ** 19;

export type DotProducts = {
  /** The vector, filled by the caller; one number per column. */
  vector: Float32Array;
  /** Rows of the next products, filled by the caller. */
  rows: Int32Array;
  /** The last products. */
  products: Float32Array;
  /** Computes the first `count` products, at most `rows.length`, after copying the rest. */
  compute(count: number): void;
  /** Copies the matrix for a few milliseconds; returns false when the copy is complete. */
  copyOn(): boolean;
};

/** @param mostRows Largest number of products at a time. */
export function createDotProducts(matrix: Float32Array, columnCount: number, mostRows: number): DotProducts {
  if (!(columnCount > 0)) throw new RangeError('Rows have at least one column.');
  const rowCount = matrix.length / columnCount;
  const rowLength = Math.ceil(columnCount / numbersPerVector) * numbersPerVector;
  const rowBytes = rowLength * 2;
  const listBytes = Math.ceil((mostRows * 4) / vectorBytes) * vectorBytes;
  const places = {
    vector: 0,
    rows: rowBytes,
    products: rowBytes + listBytes,
    matrix: rowBytes + 2 * listBytes,
  };
  const { buffer, functions } = createSimd(places.matrix + rowCount * rowBytes);
  const copy = new Int16Array(buffer, places.matrix, rowCount * rowLength);
  const wholeVector = new Int16Array(buffer, places.vector, rowLength);
  const wholeProducts = new Int32Array(buffer, places.products, mostRows);
  /** Scale of each row's products, apart from that of the vector. */
  const rowScales = new Float32Array(rowCount);
  const rowsAtOnce = Math.ceil(copiedAtOnce / columnCount);
  let copiedCount = 0;
  const copyTo = (end: number) => {
    for (; copiedCount < end; copiedCount++) {
      const row = copiedCount;
      rowScales[row] = roundInto(copy, row * rowLength, matrix, row * columnCount, columnCount);
    }
  };
  const vector = new Float32Array(columnCount);
  const rows = new Int32Array(buffer, places.rows, mostRows);
  const products = new Float32Array(mostRows);
  return {
    vector,
    rows,
    products,
    copyOn() {
      copyTo(Math.min(rowCount, copiedCount + rowsAtOnce));
      return copiedCount < rowCount;
    },
    compute(count) {
      if (copiedCount < rowCount) copyTo(rowCount);
      const scale = roundInto(wholeVector, 0, vector, 0, columnCount);
      const { rows: start, products: out } = places;
      functions.dots(start, start + count * 4, out, places.vector, places.matrix, rowBytes);
      for (let at = 0; at < count; at++) products[at] = scale * rowScales[rows[at]] * wholeProducts[at];
    },
  };
}

/** Writes numbers as integers; returns the factor that restores them. */
function roundInto(
  target: Int16Array,
  offset: number,
  source: Float32Array,
  start: number,
  count: number,
): number {
  let squares = 0;
  for (let at = start; at < start + count; at++) squares += source[at] * source[at];
  if (squares === 0) {
    target.fill(0, offset, offset + count);
    return 0;
  }
  const norm = Math.sqrt(squares);
  for (let at = 0; at < count; at++) target[offset + at] = Math.round((source[start + at] / norm) * greatest);
  return norm / greatest;
}
