/**
 * Least-squares factors of one row from what it met, by conjugate gradients (Hestenes, Stiefel 1952):
 *
 *   (D + λ I + Σ c y yᵀ) x = Σ c y        with y the factors of what was met, c its weight, D a given diagonal
 *
 * The factors stand in a basis in which what is the same for all rows is diagonal (`rotate`), so a row costs
 * 2 d · observations a step and never d², and the diagonal is a preconditioner for nothing.
 */

import { grow } from './rows.ts';
import { diagonalise } from './symmetric-eigen.ts';

export type FoldIn = {
  /** The other side's factors and D, until the next `begin`. */
  begin(factors: Float32Array, diagonal: Float64Array): void;
  /** Forgets the observations. */
  clear(): void;
  /** The row met `other` with weight `c`. */
  observe(other: number, weight: number): void;
  /** Writes the d values of the solution to `target` from `offset` on. */
  solve(target: Float32Array, offset: number, regularisation: number, steps: number): void;
};

/** Rotates the rows of `factors` in place so that their Gram matrix becomes diagonal, and returns that diagonal. */
export function rotate(factors: Float32Array, dimensions: number): Float64Array {
  const rows = rowsOf(factors, dimensions);
  if (rows.length < dimensions) return rotateFew(factors, dimensions, rows);
  const { values, vectors } = diagonalise(gramOf(factors, dimensions), dimensions);
  const rotated = new Float64Array(dimensions);
  for (let start = 0; start < factors.length; start += dimensions) {
    rotated.fill(0);
    for (let row = 0; row < dimensions; row++) {
      const value = factors[start + row];
      if (value === 0) continue;
      const from = row * dimensions;
      for (let column = 0; column < dimensions; column++) rotated[column] += value * vectors[from + column];
    }
    factors.set(rotated, start);
  }
  return values.map((value) => Math.max(0, value));
}

/** Where the rows begin that are not all zero: at most as many as there are dimensions, more are the same to callers. */
function rowsOf(factors: Float32Array, dimensions: number): number[] {
  const rows: number[] = [];
  for (let start = 0; start < factors.length && rows.length < dimensions; start += dimensions) {
    let at = start;
    while (at < start + dimensions && factors[at] === 0) at += 1;
    if (at < start + dimensions) rows.push(start);
  }
  return rows;
}

/**
 * The same for fewer rows than dimensions, by the products of the rows: n × n instead of d × d. With U V Uᵀ their
 * eigenvectors and values, the rows in their own basis are U √V, and nothing in the dimensions that are left.
 */
function rotateFew(factors: Float32Array, dimensions: number, rows: readonly number[]): Float64Array {
  const count = rows.length;
  const products = new Float64Array(count * count);
  rows.forEach((start, row) => {
    const one = Float64Array.from(factors.subarray(start, start + dimensions));
    rows.forEach((other, column) => {
      products[row * count + column] = dot(factors, other, one);
    });
  });
  const { values, vectors } = diagonalise(products, count);
  const diagonal = new Float64Array(dimensions);
  diagonal.set(values.map((value) => Math.max(0, value)));
  rows.forEach((start, row) => {
    factors.fill(0, start, start + dimensions);
    for (let at = 0; at < count; at++)
      factors[start + at] = vectors[row * count + at] * Math.sqrt(diagonal[at]);
  });
  return diagonal;
}

function gramOf(factors: Float32Array, dimensions: number): Float64Array {
  const gram = new Float64Array(dimensions * dimensions);
  for (let start = 0; start < factors.length; start += dimensions) {
    for (let row = 0; row < dimensions; row++) {
      const value = factors[start + row];
      if (value === 0) continue;
      const into = row * dimensions;
      for (let column = 0; column <= row; column++) gram[into + column] += value * factors[start + column];
    }
  }
  for (let row = 0; row < dimensions; row++) {
    for (let column = 0; column < row; column++)
      gram[column * dimensions + row] = gram[row * dimensions + column];
  }
  return gram;
}

/** @param dimensions Even. */
export function createFoldIn(dimensions: number): FoldIn {
  let factors = new Float32Array(0);
  let diagonal = new Float64Array(0);
  let others = new Int32Array(64);
  let weights = new Float64Array(64);
  let count = 0;
  const solution = new Float64Array(dimensions);
  const residual = new Float64Array(dimensions);
  const direction = new Float64Array(dimensions);
  const product = new Float64Array(dimensions);

  /** The product of the matrix and the direction. */
  const multiply = (regularisation: number): void => {
    for (let at = 0; at < dimensions; at++) product[at] = (diagonal[at] + regularisation) * direction[at];
    for (let at = 0; at < count; at++) {
      const start = others[at] * dimensions;
      addScaled(product, factors, start, weights[at] * dot(factors, start, direction));
    }
  };

  /** The residual's length as the preconditioner sees it; the next direction begins with it. */
  const measure = (regularisation: number): number => {
    let length = 0;
    for (let at = 0; at < dimensions; at++) length += residual[at] ** 2 / (diagonal[at] + regularisation);
    return length;
  };

  const improve = (regularisation: number, steps: number): void => {
    let length = measure(regularisation);
    const enough = length * smallEnough;
    direction.fill(0);
    for (let step = 0, turn = 0; step < steps && length > enough; step++) {
      for (let at = 0; at < dimensions; at++) {
        direction[at] = residual[at] / (diagonal[at] + regularisation) + turn * direction[at];
      }
      multiply(regularisation);
      let along = 0;
      for (let at = 0; at < dimensions; at++) along += direction[at] * product[at];
      const stride = length / along;
      for (let at = 0; at < dimensions; at++) {
        solution[at] += stride * direction[at];
        residual[at] -= stride * product[at];
      }
      const rest = measure(regularisation);
      turn = rest / length;
      length = rest;
    }
  };

  return {
    begin(otherFactors, otherDiagonal) {
      factors = otherFactors as Float32Array<ArrayBuffer>;
      diagonal = otherDiagonal as Float64Array<ArrayBuffer>;
    },
    clear() {
      count = 0;
    },
    observe(other, weight) {
      others = grow(others, count + 1);
      weights = grow(weights, count + 1);
      others[count] = other;
      weights[count++] = weight;
    },
    solve(target, offset, regularisation, steps) {
      solution.fill(0);
      residual.fill(0);
      for (let at = 0; at < count; at++) addScaled(residual, factors, others[at] * dimensions, weights[at]);
      improve(regularisation, steps);
      target.set(solution, offset);
    },
  };
}

/** Of the residual at the beginning: a thousandth in length. */
const smallEnough = 1e-6;

function dot(factors: Float32Array, start: number, vector: Float64Array): number {
  let even = 0;
  let odd = 0;
  for (let at = 0; at < vector.length; at += 2) {
    even += factors[start + at] * vector[at];
    odd += factors[start + at + 1] * vector[at + 1];
  }
  return even + odd;
}

function addScaled(target: Float64Array, factors: Float32Array, start: number, scale: number): void {
  for (let at = 0; at < target.length; at++) target[at] += scale * factors[start + at];
}
