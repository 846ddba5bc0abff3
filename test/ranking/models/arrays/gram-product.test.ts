import test from 'ava';
import { createChance } from '../../../../src/deployment/demo/random.ts';
import { createGramProduct, type GramProduct } from '../../../../src/ranking/models/arrays/gram-product.ts';

/** The sums of `add` in its documented order. */
function addPlainly({ rows, weights, direction, product }: GramProduct, count: number): Float64Array {
  const dimensions = product.length;
  const sums = product.slice();
  for (let row = 0; row < count; row++) {
    const values = rows.subarray(row * dimensions, (row + 1) * dimensions);
    const [even, odd] = [0, 1].map((first) =>
      values.reduce((sum, value, at) => (at % 2 === first ? sum + value * direction[at] : sum), 0),
    );
    for (let at = 0; at < dimensions; at++) sums[at] += weights[row] * (even + odd) * values[at];
  }
  return sums;
}

for (const dimensions of [2, 8, 64])
  test(`products over rows of ${dimensions} numbers equal a plain loop bit by bit`, (t) => {
    const chance = createChance(`gram ${dimensions}`);
    const gram = createGramProduct(dimensions, 12);
    for (const numbers of [gram.rows, gram.weights, gram.direction, gram.product])
      for (let at = 0; at < numbers.length; at++) numbers[at] = chance.fraction() - 0.5;
    for (const count of [0, 1, 3, 4, 7, 12]) {
      const expected = addPlainly(gram, count);
      gram.add(count);
      t.deepEqual(gram.product, expected, `${count} rows`);
    }
  });
