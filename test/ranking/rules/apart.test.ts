/** Groups that are never together, against all lists there are. */

import test from 'ava';
import { createComposer } from '../../../src/ranking/rules/compose.ts';
import { fc } from '../../support/properties.ts';
import { createChance } from './support/chance.ts';
import { judge } from './support/exact-solver.ts';
import { type Case, cases, eligible, has, keepsLimits, requestOf, slotsOf } from './support/lists.ts';

const composer = createComposer();

const small = cases({
  ...{ products: 10, size: 4, mins: true, musts: true, preferences: 2, injected: true, apart: true },
});

type Composed = ReturnType<typeof composer.compose>;

const pickedOf = ({ items }: Composed): number[] =>
  items.flatMap(({ itemIndex, injected }) => (injected ? [] : [itemIndex!]));

/** Positive if the first list is better, on the levels of compose.ts. */
function compare(one: Case, a: readonly number[], b: readonly number[]): number {
  const [x, y] = [judge(one, a), judge(one, b)];
  const levels = [
    ...x.met.map((met, k) => Number(met) - Number(y.met[k])),
    x.length - y.length,
    ...x.got.map((got, k) => got - y.got[k]),
    x.weight - y.weight,
  ];
  return levels.find((difference) => difference !== 0) ?? 0;
}

/** Returns the best of all lists, by enumeration. */
function bestOf(one: Case): number[] {
  const all = eligible(one);
  let best: number[] = [];
  const extend = (picked: number[], from: number): void => {
    if (compare(one, picked, best) > 0) best = picked;
    for (let k = from; k < all.length && picked.length < slotsOf(one); k++)
      if (keepsLimits(one, [...picked, all[k]])) extend([...picked, all[k]], k + 1);
  };
  extend([], 0);
  return best;
}

test('groups are never together, and the list is the best of all such lists', (t) => {
  fc.assert(
    fc.property(small, (one) => {
      const list = composer.compose(requestOf(one));
      const picked = pickedOf(list);
      t.true(picked.every((itemIndex) => eligible(one).includes(itemIndex)));
      t.true(keepsLimits(one, picked));
      if (list.gapBound < 1) t.true(compare(one, picked, bestOf(one)) >= 0);
    }),
    { numRuns: 1_000 },
  );
});

test('explored lists and explained ones do not mix groups either', (t) => {
  const large = cases({
    ...{ products: 60, size: 12, mins: true, musts: true, preferences: 2, injected: true, apart: true },
  });
  fc.assert(
    fc.property(large, fc.nat(), (one, seed) => {
      const plain = composer.compose(requestOf(one));
      const explained = composer.compose({ ...requestOf(one), explain: true });
      t.deepEqual(pickedOf(explained), pickedOf(plain));
      const chance = createChance(seed).next;
      const exploration = {
        slots: [1, 2, 3],
        of: 20,
        temperature: 1,
        scoreOf: (i: number) => 60 - i,
        chance,
      };
      const drawn = composer.compose({ ...requestOf(one), exploration });
      t.true(keepsLimits(one, pickedOf(drawn)));
    }),
    { numRuns: 600 },
  );
});

test('the better group stays, and an item of the other one is explained', (t) => {
  const one: Case = {
    products: [...'abacb'].map((brand) => ({ brand, tags: [], enabled: true })),
    size: 3,
    rules: [{ kind: 'apart', queries: [has('brand', 'a'), has('brand', 'b')] }],
    ...{ preferences: [], injected: new Map(), excluded: [], known: 5, directAccess: true },
  };
  const list = composer.compose({ ...requestOf(one), explain: true });
  t.deepEqual(pickedOf(list), [0, 2, 3]);
  t.deepEqual(list.facts?.whyNot(1), { outcome: 'must', ruleIndex: 0 });
  t.deepEqual(
    list.facts?.items.map(({ rules }) => rules),
    [[0], [0], []],
  );
  t.like(list.rules[0], { counted: 2, cut: 2 });
  const forced = composer.compose(requestOf({ ...one, injected: new Map([[1, 1]]) }));
  t.deepEqual(pickedOf(forced), [3, 4]);
});
