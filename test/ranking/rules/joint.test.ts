import test from 'ava';
import { measureAgreement } from './support/agreement.ts';

test('lists agree with an exact solver on all levels', async (t) => {
  const { worse, wrongBounds, meanGap, worstGap, satisfiable, satisfied } = await measureAgreement(1, 250);
  t.deepEqual(worse, []);
  t.deepEqual(wrongBounds, []);
  t.true(satisfiable > 100);
  t.is(satisfied, satisfiable);
  t.true(meanGap <= 0.001, `mean gap ${meanGap}`);
  t.true(worstGap <= 0.01, `worst gap ${worstGap}`);
});
