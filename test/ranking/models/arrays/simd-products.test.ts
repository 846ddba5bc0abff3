import { readFileSync } from 'node:fs';
import test from 'ava';
import { compileSimd } from '../../../../tools/build-simd.ts';

test('simd-products.ts is compiled from simd-products.as', async (t) => {
  const file = new URL('../../../../src/ranking/models/arrays/simd-products.ts', import.meta.url);
  t.is(readFileSync(file, 'utf8'), await compileSimd());
});
