/**
 * A product with the Gram matrix of weighed rows, which is never made:
 *
 *   product += Σ weight · row · (row · direction)
 *
 * In WebAssembly, two numbers at a time and four rows at a time, so that no sum waits for the one before it. Each sum adds up
 * what a plain loop over the rows would, in the same order: even places, odd places, then both.
 */

import {
  type Code,
  constant,
  doWhileBelow,
  type FunctionCode,
  f64,
  f64x2,
  get,
  i32,
  instantiate,
  set,
  step,
  tee,
  v128,
  vectorBytes,
  whileBelow,
} from './wasm.ts';

const numberBytes = 8;

const rowsAtOnce = 4;

export type GramProduct = {
  /** One after the other; to be filled by the caller, and so are the others. */
  rows: Float64Array;
  /** By row. */
  weights: Float64Array;
  direction: Float64Array;
  product: Float64Array;
  /** Adds what the first `count` rows come to. */
  add(count: number): void;
};

/**
 * @param dimensions Even.
 * @param mostRows A multiple of four.
 */
export function createGramProduct(dimensions: number, mostRows: number): GramProduct {
  const rowBytes = dimensions * numberBytes;
  const places = { direction: 0, product: rowBytes, rows: 2 * rowBytes, weights: (2 + mostRows) * rowBytes };
  const codes = [rowsAtOnce, 1].map((count) => functionFor(count, rowBytes));
  const memoryBytes = places.weights + mostRows * numberBytes;
  const { buffer, functions } = instantiate(codes, memoryBytes);
  const [addFour, addOne] = functions;
  return {
    rows: new Float64Array(buffer, places.rows, mostRows * dimensions),
    weights: new Float64Array(buffer, places.weights, mostRows),
    direction: new Float64Array(buffer, places.direction, dimensions),
    product: new Float64Array(buffer, places.product, dimensions),
    add(count) {
      const together = count - (count % rowsAtOnce);
      const middle = places.rows + together * rowBytes;
      if (together > 0) addFour(places.rows, middle, places.weights, places.direction, places.product);
      if (together === count) return;
      const weights = places.weights + together * numberBytes;
      addOne(middle, places.rows + count * rowBytes, weights, places.direction, places.product);
    },
  };
}

/** Parameters, then variables of its own. */
const [rows, end, weights, direction, product, row, at, atEnd, other, firstSum] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
];

/**
 * Of so many rows at once:
 *
 *   for (; rows < end; rows += count, weights += count)
 *     sums = 0; for (at) sums += rows[at] * direction[at]
 *     sums = weights * (sums.0 + sums.1)
 *     for (at) product[at] += sums * rows[at]
 */
function functionFor(count: number, rowBytes: number): FunctionCode {
  const each = (code: (sum: number, place: number) => Code): number[] =>
    Array.from({ length: count }, (_, place) => code(firstSum + place, place)).flat();
  const loadRow = (place: number): Code => [...get(row), ...v128.load(place * rowBytes)];
  const alongRow = (beside: number, code: Code): number[] => [
    ...[
      ...get(rows),
      ...set(row),
      ...get(beside),
      ...tee(at),
      ...constant(rowBytes),
      ...i32.add,
      ...set(atEnd),
    ],
    ...doWhileBelow(at, atEnd, [...code, ...step(row, vectorBytes), ...step(at, vectorBytes)]),
  ];
  const multiply = [
    ...[...get(at), ...v128.load(0), ...set(other)],
    ...each((sum, place) => [
      ...[...get(sum), ...loadRow(place), ...get(other)],
      ...[...f64x2.mul, ...f64x2.add, ...set(sum)],
    ]),
  ];
  const weigh = each((sum, place) => [
    ...[...get(weights), ...f64.load(place * numberBytes)],
    ...[...get(sum), ...f64x2.lane(0), ...get(sum), ...f64x2.lane(1), ...f64.add],
    ...[...f64.mul, ...f64x2.splat, ...set(sum)],
  ]);
  const add = [
    ...[...get(at), ...get(at), ...v128.load(0)],
    ...each((sum, place) => [...get(sum), ...loadRow(place), ...f64x2.mul, ...f64x2.add]),
    ...v128.store,
  ];
  const body = [
    ...each((sum) => [...v128.zero, ...set(sum)]),
    ...alongRow(direction, multiply),
    ...weigh,
    ...alongRow(product, add),
    ...[...step(rows, count * rowBytes), ...step(weights, count * numberBytes)],
  ];
  return { parameterCount: 5, wordCount: 3, vectorCount: 1 + count, body: whileBelow(rows, end, body) };
}
