import test from 'ava';
import { createValueLimits } from '../../../src/ranking/rules/value-limits.ts';
import { fc } from '../../support/properties.ts';

const keys = fc.oneof(
  fc.nat({ max: 40 }),
  fc.constantFrom(-1, 0.5, 2 ** 20, 2 ** 20 - 1, 1.7e12, '', '3', 'shoes'),
);
const lists = fc.array(fc.uniqueArray(keys, { maxLength: 30 }), { maxLength: 8 });

test('each list keeps its own values with their limits, in order', (t) => {
  fc.assert(
    fc.property(lists, keys, (all, asked) => {
      const limits = createValueLimits();
      for (const list of all) {
        limits.begin();
        for (const [limit, key] of list.entries()) limits.add(key, limit);
        const seen: [number | string, number][] = [];
        limits.visit((key, limit) => void seen.push([key, limit]));
        t.deepEqual(
          seen,
          list.map((key, limit) => [key, limit]),
        );
        t.is(limits.limitOf(asked), list.indexOf(asked));
      }
    }),
  );
});
