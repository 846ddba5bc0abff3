import test from 'ava';
import { createChance } from '../../../../src/deployment/demo/random.ts';
import { createDotProducts } from '../../../../src/ranking/models/arrays/dot-products.ts';

for (const columnCount of [3, 4, 12, 64]) {
  test(`products of chosen rows of ${columnCount} columns equal a plain loop except for rounding`, (t) => {
    const chance = createChance(`dots ${columnCount}`);
    const rowCount = 70;
    const matrix = Float32Array.from({ length: rowCount * columnCount }, () => chance.fraction() - 0.5);
    const dots = createDotProducts(matrix, columnCount, rowCount);
    for (let column = 0; column < columnCount; column++) dots.vector[column] = chance.fraction();
    const wanted = [69, 0, 3, 3, 41];
    dots.rows.set(wanted);
    dots.compute(wanted.length);
    for (const [place, row] of wanted.entries()) {
      const values = matrix.subarray(row * columnCount, (row + 1) * columnCount);
      const expected = values.reduce((sum, value, column) => sum + value * dots.vector[column], 0);
      const most = 1e-4 * Math.hypot(...values) * Math.hypot(...dots.vector);
      t.true(Math.abs(dots.products[place] - expected) <= most);
    }
    t.is(dots.products[wanted.length], 0);
  });
}

test('no rows give no products, and rows need columns', (t) => {
  const dots = createDotProducts(new Float32Array(8), 4, 2);
  dots.compute(0);
  t.deepEqual([...dots.products], [0, 0]);
  t.throws(() => createDotProducts(new Float32Array(0), 0, 2), { instanceOf: RangeError });
});

test('numbers of any size and rows of zeros are supported', (t) => {
  for (const size of [1e-30, 1, 1e15]) {
    const dots = createDotProducts(Float32Array.of(size, -size, 0, 0, size, size), 2, 3);
    dots.vector.set([3, 1]);
    dots.rows.set([0, 1, 2]);
    dots.compute(3);
    const [first, second, third] = Array.from(dots.products, (product) => product / Math.fround(size));
    t.true(Math.abs(first - 2) < 1e-3);
    t.is(second, 0);
    t.true(Math.abs(third - 4) < 1e-3);
  }
  const nothing = createDotProducts(Float32Array.of(1, 2), 2, 1);
  nothing.compute(1);
  t.is(nothing.products[0], 0);
});

test('a matrix copied in pieces gives the same products as one copied on demand', (t) => {
  const columnCount = 4;
  const rowCount = 700_000;
  const matrix = new Float32Array(rowCount * columnCount).map((_, at) => (at % 7) - 3);
  const [prepared, unprepared] = [1, 2].map(() => createDotProducts(matrix, columnCount, 2));
  let pieceCount = 1;
  while (prepared.copyOn()) pieceCount += 1;
  t.true(pieceCount > 1);
  for (const dots of [prepared, unprepared]) {
    dots.vector.fill(1);
    dots.rows.set([0, rowCount - 1]);
    dots.compute(2);
  }
  t.deepEqual([...prepared.products], [...unprepared.products]);
  const expected = matrix.slice(-columnCount).reduce((sum, value) => sum + value, 0);
  t.true(Math.abs(prepared.products[1] - expected) < 1e-3);
});
