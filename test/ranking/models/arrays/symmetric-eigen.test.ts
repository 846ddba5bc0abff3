import test from 'ava';
import { diagonalise } from '../../../../src/ranking/models/arrays/symmetric-eigen.ts';
import { fc } from '../../../support/properties.ts';

type Matrix = { size: number; matrix: Float64Array };

function makeMatrix(size: number, valueAt: (row: number, column: number) => number): Matrix {
  const matrix = Float64Array.from({ length: size * size }, (_, at) =>
    valueAt(Math.floor(at / size), at % size),
  );
  return { size, matrix };
}

/** The products of the columns of rows, the use case. With few rows many eigenvalues are zero. */
const gramArbitrary = fc.integer({ min: 1, max: 12 }).chain((size) => {
  const value = fc.oneof(fc.double({ min: -9, max: 9, noNaN: true }), fc.integer({ min: -2, max: 2 }));
  const rows = fc.array(fc.array(value, { minLength: size, maxLength: size }), { maxLength: 20 });
  return rows.map((all) =>
    makeMatrix(size, (row, column) => all.reduce((sum, one) => sum + one[row] * one[column], 0)),
  );
});

/** The largest difference between matrix times vector and eigenvalue times vector. */
function residualOf({ size, matrix }: Matrix): number {
  const { values, vectors } = diagonalise(matrix.slice(), size);
  const differences = Array.from(matrix, (_, at) => {
    const [row, k] = [Math.floor(at / size), at % size];
    let made = 0;
    for (let column = 0; column < size; column++)
      made += matrix[row * size + column] * vectors[column * size + k];
    return Math.abs(made - values[k] * vectors[row * size + k]);
  });
  return Math.max(...differences);
}

/** The largest difference between products of the vectors and those of orthonormal ones. */
function skewOf({ size, matrix }: Matrix): number {
  const { vectors } = diagonalise(matrix.slice(), size);
  const differences = Array.from(matrix, (_, at) => {
    const [one, other] = [Math.floor(at / size), at % size];
    let product = 0;
    for (let row = 0; row < size; row++) product += vectors[row * size + one] * vectors[row * size + other];
    return Math.abs(product - (one === other ? 1 : 0));
  });
  return Math.max(...differences);
}

const sizeOf = ({ matrix }: Matrix) => matrix.reduce((most, value) => Math.max(most, Math.abs(value)), 1);

test('the vectors are eigenvectors of their values, and orthogonal', (t) => {
  fc.assert(
    fc.property(gramArbitrary, (given) => {
      t.true(residualOf(given) < 1e-12 * sizeOf(given));
      t.true(skewOf(given) < 1e-12);
    }),
  );
});

const special: [name: string, given: Matrix][] = [
  ['as large as supported', makeMatrix(64, (row, column) => Math.sin(row * column + row + column))],
  ['all zeros', makeMatrix(8, () => 0)],
  ['diagonal', makeMatrix(8, (row, column) => (row === column ? row - 4 : 0))],
  ['two blocks of ones', makeMatrix(10, (row, column) => (row < 5 === column < 5 ? 1 : 0))],
  ['of very different sizes', makeMatrix(40, (row, column) => 10 ** -((row + column) / 2))],
  ['almost diagonal', makeMatrix(5, (row, column) => (row === column ? 1 : 1e-13))],
];

for (const [name, given] of special)
  test(`it has vectors: ${name}`, (t) => {
    t.true(residualOf(given) < 1e-12);
    t.true(skewOf(given) < 1e-12);
  });

test('a matrix with NaN terminates', (t) => {
  t.is(diagonalise(new Float64Array(64).fill(Number.NaN), 8).values.length, 8);
});
