import test from 'ava';
import { createFoldIn, rotate } from '../../../../src/ranking/models/arrays/fold-in.ts';

const dimensions = 8;

/** Deterministic in its argument. */
function makeFactors(rowCount: number): Float32Array {
  const factors = Float32Array.from({ length: rowCount * dimensions }, (_, at) =>
    Math.sin(at * at + rowCount),
  );
  /** Empty rows lie between the others. */
  if (rowCount > 2) factors.fill(0, dimensions, 2 * dimensions);
  return factors;
}

function productOf(factors: Float32Array, one: number, other: number): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at++)
    sum += factors[one * dimensions + at] * factors[other * dimensions + at];
  return sum;
}

for (const rowCount of [0, 1, 2, 5, dimensions, dimensions + 1, 30])
  test(`${rowCount} rows keep their products, and their Gram matrix becomes diagonal`, (t) => {
    const before = makeFactors(rowCount);
    const factors = before.slice();
    const diagonal = rotate(factors, dimensions);
    for (let one = 0; one < rowCount; one++)
      for (let other = 0; other < rowCount; other++)
        t.true(Math.abs(productOf(factors, one, other) - productOf(before, one, other)) < 1e-4);
    for (let p = 0; p < dimensions; p++)
      for (let q = 0; q < dimensions; q++) {
        let gram = 0;
        for (let row = 0; row < rowCount; row++)
          gram += factors[row * dimensions + p] * factors[row * dimensions + q];
        t.true(Math.abs(gram - (p === q ? diagonal[p] : 0)) < 1e-4, `${p}, ${q}`);
      }
  });

test('folding in gives the same result for few rows and for the same rows among many empty ones', (t) => {
  const few = makeFactors(3);
  const many = new Float32Array(50 * dimensions);
  many.set(few, 20 * dimensions);
  const scores = [few, many].map((factors, which) => {
    const diagonal = rotate(factors, dimensions);
    const foldIn = createFoldIn(dimensions);
    foldIn.begin(factors, diagonal);
    foldIn.clear();
    const first = which * 20;
    foldIn.observe(first, 1);
    const solution = new Float32Array(dimensions);
    foldIn.solve(solution, 0, 0.1, 20);
    let score = 0;
    for (let at = 0; at < dimensions; at++) score += solution[at] * factors[(first + 2) * dimensions + at];
    return score;
  });
  t.true(Math.abs(scores[0] - scores[1]) < 1e-6);
  t.true(scores[0] !== 0);
});
