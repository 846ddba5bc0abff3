/** A search for many strings has the same result as a search for each of them. */

import test from 'ava';
import { beginsWithAny, containsAny } from '../../../src/ranking/rules/text-search.ts';
import { fc } from '../../support/properties.ts';

/** Few letters, so that strings contain and begin with each other. */
const letters = (limits: fc.StringConstraints) =>
  fc.string({ ...limits, unit: fc.constantFrom('a', 'b', 'c', '𝒶') });

const strings = fc.array(letters({ minLength: 0, maxLength: 6 }), { maxLength: 40 });

const text = letters({ maxLength: 12 });

test('beginsWithAny agrees with a test of each string', (t) => {
  fc.assert(
    fc.property(strings, text, (wanted, one) => {
      t.is(
        beginsWithAny(wanted)(one),
        wanted.some((each) => one.startsWith(each)),
      );
    }),
    { numRuns: 500 },
  );
});

test('containsAny agrees with a test of each string', (t) => {
  const long = fc.array(letters({ minLength: 2, maxLength: 6 }), { minLength: 9, maxLength: 40 });
  fc.assert(
    fc.property(fc.oneof(strings, long), text, (wanted, one) => {
      t.is(
        containsAny(wanted)(one),
        wanted.some((each) => one.includes(each)),
      );
    }),
    { numRuns: 500 },
  );
});
