import test from 'ava';
import { createChance } from '../../../src/deployment/demo/random.ts';
import { createDotProducts } from '../../../src/models/arrays/dot-products.ts';

for (const columnCount of [4, 12, 64]) {
  test(`products of chosen rows of ${columnCount} columns are what a plain loop gives`, (t) => {
    const chance = createChance(`dots ${columnCount}`);
    const rowCount = 70;
    const matrix = Float32Array.from({ length: rowCount * columnCount }, () => chance.fraction() - 0.5);
    const dots = createDotProducts(matrix, columnCount, rowCount);
    for (let column = 0; column < columnCount; column++) dots.vector[column] = chance.fraction();
    const wanted = [69, 0, 3, 3, 41];
    dots.rows.set(wanted);
    dots.compute(wanted.length);
    for (const [place, row] of wanted.entries()) {
      let expected = 0;
      for (let column = 0; column < columnCount; column++)
        expected += matrix[row * columnCount + column] * dots.vector[column];
      t.true(Math.abs(dots.products[place] - expected) < 1e-5);
    }
    t.is(dots.products[wanted.length], 0);
  });
}

test('no row gives no product, and columns come by four', (t) => {
  const dots = createDotProducts(new Float32Array(8), 4, 2);
  dots.compute(0);
  t.deepEqual([...dots.products], [0, 0]);
  t.throws(() => createDotProducts(new Float32Array(6), 3, 2), { instanceOf: RangeError });
});

test('a matrix that is copied in pieces gives the same products as one that is copied at need', (t) => {
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
  t.is(
    prepared.products[1],
    matrix.slice(-columnCount).reduce((sum, value) => sum + value, 0),
  );
});
