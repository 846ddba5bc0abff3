/**
 * Least-squares factors of a row from its observations, by conjugate gradients (Hestenes, Stiefel
 * 1952):
 *
 *   (D + λ I + Σ c y yᵀ) x = Σ c y        with y the factors of what was met, c its weight, D a given diagonal
 *
 * `rotate` chooses a basis in which the part common to all rows is diagonal, so a step costs 2 d ·
 * observations instead of d², and the diagonal is a free preconditioner.
 */

import { createGramProduct, type GramProduct } from './gram-product.ts';
import { grow } from './rows.ts';
import { diagonalise } from './symmetric-eigen.ts';

export type FoldIn = {
  /** Sets the other side's factors and D, until the next `begin`. */
  begin(factors: Float32Array, diagonal: Float64Array): void;
  /** Clears the observations. */
  clear(): void;
  /** Adds an observation of `other` with weight `c`. */
  observe(other: number, weight: number): void;
  /** Writes the d values of the solution to `target` from `offset`. */
  solve(target: Float32Array, offset: number, regularisation: number, steps: number): void;
};

/** Rotates `factors` in place to make their Gram matrix diagonal; returns the diagonal. */
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

/** Returns the starts of nonzero rows, at most `dimensions`; callers need no more. */
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
 * Rotates fewer rows than dimensions by their n × n products instead of d × d. With their
 * eigenvectors and values U V Uᵀ, the rows in their own basis are U √V, zero in other dimensions.
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

/** Rows multiplied at a time: enough for a request, few enough for a near cache in training. */
const gatheredAtOnce = 512;

/** Observations of a row, and their product with a vector. */
function createObservations(dimensions: number, gram: GramProduct) {
  let factors = new Float32Array(0);
  let others = new Int32Array(64);
  let weights = new Float64Array(64);
  let count = 0;
  /** First observation with gathered factors, -1 without any. */
  let gathered = -1;

  /** Gathers factors from `first` on; returns their number. */
  const gather = (first: number): number => {
    const length = Math.min(gatheredAtOnce, count - first);
    if (gathered === first) return length;
    gathered = first;
    const { rows } = gram;
    for (let place = 0, into = 0; place < length; place++) {
      const start = others[first + place] * dimensions;
      gram.weights[place] = weights[first + place];
      for (let at = start; at < start + dimensions; at++) rows[into++] = factors[at];
    }
    return length;
  };

  return {
    /** The factors may have changed. */
    begin(next: Float32Array) {
      factors = next as Float32Array<ArrayBuffer>;
      gathered = -1;
    },
    clear() {
      count = 0;
      gathered = -1;
    },
    observe(other: number, weight: number) {
      others = grow(others, count + 1);
      weights = grow(weights, count + 1);
      others[count] = other;
      weights[count++] = weight;
    },
    /** Adds Σ c y to a vector. */
    addTo(target: Float64Array) {
      for (let at = 0; at < count; at++) addScaled(target, factors, others[at] * dimensions, weights[at]);
    },
    /** Adds Σ c y yᵀ times the direction to the product. */
    multiply() {
      for (let first = 0; first < count; first += gatheredAtOnce) gram.add(gather(first));
    },
  };
}

/** @param dimensions Even. */
export function createFoldIn(dimensions: number): FoldIn {
  let diagonal = new Float64Array(0);
  const gram = createGramProduct(dimensions, gatheredAtOnce);
  const { direction, product } = gram;
  const observations = createObservations(dimensions, gram);
  const solution = new Float64Array(dimensions);
  const residual = new Float64Array(dimensions);

  /** Multiplies the matrix with the direction. */
  const multiply = (regularisation: number): void => {
    for (let at = 0; at < dimensions; at++) product[at] = (diagonal[at] + regularisation) * direction[at];
    observations.multiply();
  };

  /** Returns the preconditioned length of the residual; the next direction starts with it. */
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
      observations.begin(otherFactors);
      diagonal = otherDiagonal as Float64Array<ArrayBuffer>;
    },
    clear: observations.clear,
    observe: observations.observe,
    solve(target, offset, regularisation, steps) {
      solution.fill(0);
      residual.fill(0);
      observations.addTo(residual);
      improve(regularisation, steps);
      target.set(solution, offset);
    },
  };
}

/** Squared, relative to the first residual: a thousandth in length. */
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
