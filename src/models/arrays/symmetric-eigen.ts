/** Eigenvectors of small symmetric matrices. */

export type Eigen = {
  values: Float64Array;
  /** Row by row; column k is the vector of value k. */
  vectors: Float64Array;
};

const mostSweeps = 12;
/** Of the matrix's own size, what may be left beside the diagonal. */
const tolerance = 1e-10;

/** Cyclic Jacobi rotations (Golub, Van Loan, "Matrix Computations", 8.5): some 5 ms at 64 × 64. The matrix is overwritten. */
export function diagonalise(matrix: Float64Array, size: number): Eigen {
  const vectors = new Float64Array(size * size);
  for (let at = 0; at < size; at++) vectors[at * size + at] = 1;
  const limit = tolerance ** 2 * squaresOf(matrix, size, 0);
  for (let sweep = 0; sweep < mostSweeps && squaresOf(matrix, size, 1) > limit; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) annihilate(matrix, vectors, size, p, q);
    }
  }
  return { values: Float64Array.from({ length: size }, (_, at) => matrix[at * size + at]), vectors };
}

/** Sum of squares of the upper triangle from a diagonal on: 0 with the main diagonal, 1 without. */
function squaresOf(matrix: Float64Array, size: number, from: number): number {
  let sum = 0;
  for (let row = 0; row < size; row++) {
    for (let column = row + from; column < size; column++) sum += matrix[row * size + column] ** 2;
  }
  return sum;
}

/** Turns the plane of p and q so that the element between them vanishes. */
function annihilate(matrix: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const between = matrix[p * size + q];
  if (between === 0) return;
  const slope = (matrix[q * size + q] - matrix[p * size + p]) / (2 * between);
  const tangent = (slope >= 0 ? 1 : -1) / (Math.abs(slope) + Math.sqrt(slope * slope + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  turnRows(matrix, size, p, q, cosine, sine);
  turnColumns(matrix, size, p, q, cosine, sine);
  turnColumns(vectors, size, p, q, cosine, sine);
}

function turnRows(
  matrix: Float64Array,
  size: number,
  p: number,
  q: number,
  cosine: number,
  sine: number,
): void {
  for (let at = 0; at < size; at++) {
    const a = matrix[p * size + at];
    const b = matrix[q * size + at];
    matrix[p * size + at] = cosine * a - sine * b;
    matrix[q * size + at] = sine * a + cosine * b;
  }
}

function turnColumns(
  matrix: Float64Array,
  size: number,
  p: number,
  q: number,
  cosine: number,
  sine: number,
): void {
  for (let row = 0; row < size * size; row += size) {
    const a = matrix[row + p];
    const b = matrix[row + q];
    matrix[row + p] = cosine * a - sine * b;
    matrix[row + q] = sine * a + cosine * b;
  }
}
