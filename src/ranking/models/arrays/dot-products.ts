/**
 * Dot products of one vector with many rows of a matrix, eight numbers at a time by WebAssembly's 128-bit instructions. The
 * matrix is copied into the module's own memory, which is all it can read, as whole numbers of 16 bits: half of the bytes, and
 * what is read from memory is what products cost.
 *
 * A row y becomes round(y · 32,767 / |y|), and so does the vector. By Cauchy and Schwarz no sum of products then exceeds 2^30,
 * and rounding changes a product by some 10^-5 · |x| · |y|.
 *
 * Rows lie at random places, so a processor has to see as many of them ahead as it can: the vector stays in variables, and the
 * code for a row has no loop.
 */

import {
  constant,
  type FunctionCode,
  get,
  i32,
  i32x4,
  instantiate,
  set,
  step,
  tee,
  v128,
  vectorBytes,
  whileBelow,
} from './wasm.ts';

const numbersPerVector = 8;

/** The greatest whole number of 16 bits. */
const greatest = 32_767;

/** Numbers: 1 to 4 ms. */
const copiedAtOnce = 2 ** 19;

export type DotProducts = {
  /** To be filled by the caller; as long as the matrix has columns. */
  vector: Float32Array;
  /** Of the products wanted next; to be filled by the caller. */
  rows: Int32Array;
  /** As many as were asked for last. */
  products: Float32Array;
  /** Computes the first `count` products; at most `rows.length`. What of the matrix is not copied yet, is copied first. */
  compute(count: number): void;
  /** Copies a few milliseconds' worth of the matrix; false when all is. */
  copyOn(): boolean;
};

/** @param mostRows Products asked for at a time. */
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
  const code = functionFor(rowLength / numbersPerVector);
  const memoryBytes = places.matrix + rowCount * rowBytes;
  const { buffer, functions } = instantiate([code], memoryBytes);
  const [dots] = functions;
  const copy = new Int16Array(buffer, places.matrix, rowCount * rowLength);
  const wholeVector = new Int16Array(buffer, places.vector, rowLength);
  const wholeProducts = new Int32Array(buffer, places.products, mostRows);
  /** What a product with a row is to be multiplied with, besides what the vector is. */
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
      dots(places.rows, places.rows + count * 4, places.products, places.vector, places.matrix);
      for (let at = 0; at < count; at++) products[at] = scale * rowScales[rows[at]] * wholeProducts[at];
    },
  };
}

/** Writes numbers as whole ones, and returns what to multiply these with. */
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

/** Parameters, then variables of its own. */
const [rows, end, out, vector, matrix, row, sum, firstPart] = [0, 1, 2, 3, 4, 5, 6, 7];

/**
 * For rows of so many vectors of eight numbers:
 *
 *   parts = vector
 *   for (; rows < end; rows += 4, out += 4)
 *     row = matrix + i32[rows] * rowBytes
 *     sum = 0; for each part: sum += pairs of row[part] * part
 *     i32[out] = sum.0 + sum.1 + sum.2 + sum.3
 */
function functionFor(vectorCount: number): FunctionCode {
  const each = (code: (part: number, place: number) => number[]): number[] =>
    Array.from({ length: vectorCount }, (_, place) => code(firstPart + place, place)).flat();
  const load = (address: number, place: number) => [...get(address), ...v128.load(place * vectorBytes)];
  const rowBytes = vectorCount * vectorBytes;
  const forEachRow = [
    ...[...get(rows), ...i32.load, ...constant(rowBytes), ...i32.mul, ...get(matrix), ...i32.add],
    ...[...set(row), ...get(out), ...v128.zero],
    ...each((part, place) => [...load(row, place), ...get(part), ...i32x4.dot, ...i32x4.add]),
    ...[...tee(sum), ...i32x4.lane(0)],
    ...[1, 2, 3].flatMap((lane) => [...get(sum), ...i32x4.lane(lane), ...i32.add]),
    ...i32.store,
    ...[...step(rows, 4), ...step(out, 4)],
  ];
  const body = [
    ...each((part, place) => [...load(vector, place), ...set(part)]),
    ...whileBelow(rows, end, forEachRow),
  ];
  return { parameterCount: 5, wordCount: 1, vectorCount: 1 + vectorCount, body };
}
