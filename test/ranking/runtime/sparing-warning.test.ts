import test from 'ava';
import { createSparingWarning } from '../../../src/ranking/runtime/sparing-warning.ts';

test('a warning is logged at once, then at most once a second with the number left out', (t) => {
  const told: unknown[] = [];
  let nowMs = 0;
  const warn = (facts: unknown) => told.push(facts);
  const warning = createSparingWarning({ warn } as never, 'Late.', { nowMs: () => nowMs });
  for (nowMs = 0; nowMs < 2_500; nowMs += 500) warning({ atMs: nowMs });
  t.deepEqual(told, [{ atMs: 0 }, { atMs: 1_000, left_out: 1 }, { atMs: 2_000, left_out: 1 }]);
});
