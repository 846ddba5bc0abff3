/** Solves symmetric positive definite systems of a few hundred equations. */

/**
 * Solves A·x = b in place: `matrix` holds the lower triangle of A, row by row with `size` entries
 * per row, and becomes its Cholesky factor; `vector` holds b and becomes x.
 */
export function solveCholesky(matrix: Float64Array, vector: Float64Array, size: number): void {
  factorise(matrix, size);
  for (let row = 0; row < size; row++) {
    let sum = vector[row];
    for (let column = 0; column < row; column++) sum -= matrix[row * size + column] * vector[column];
    vector[row] = sum / matrix[row * size + row];
  }
  for (let row = size - 1; row >= 0; row--) {
    const value = vector[row] / matrix[row * size + row];
    vector[row] = value;
    for (let column = 0; column < row; column++) vector[column] -= matrix[row * size + column] * value;
  }
}

/** Works row by row (Cholesky–Banachiewicz), four sums at a time to fill the CPU's pipelines. */
function factorise(matrix: Float64Array, size: number): void {
  for (let row = 0; row < size; row++) {
    const own = row * size;
    for (let column = 0; column < row; column++) {
      const other = column * size;
      matrix[own + column] =
        (matrix[own + column] - dot(matrix, own, other, column)) / matrix[other + column];
    }
    const pivot = matrix[own + row] - dot(matrix, own, own, row);
    matrix[own + row] = Math.sqrt(Math.max(pivot, smallestPivot));
  }
}

/** Rounding can make a pivot 0 or less for items that always occur together. */
const smallestPivot = 1e-9;

function dot(values: Float64Array, a: number, b: number, length: number): number {
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  let at = 0;
  for (; at + 3 < length; at += 4) {
    sum0 += values[a + at] * values[b + at];
    sum1 += values[a + at + 1] * values[b + at + 1];
    sum2 += values[a + at + 2] * values[b + at + 2];
    sum3 += values[a + at + 3] * values[b + at + 3];
  }
  for (; at < length; at++) sum0 += values[a + at] * values[b + at];
  return sum0 + sum1 + (sum2 + sum3);
}
