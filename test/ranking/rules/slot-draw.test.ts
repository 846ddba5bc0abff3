import test from 'ava';
import { type ComposeRequest, createComposer } from '../../../src/ranking/rules/compose.ts';
import type { SlotExploration } from '../../../src/ranking/rules/slot-draw.ts';
import { fc } from '../../support/properties.ts';
import { createChance } from './support/chance.ts';
import {
  type Case,
  cases,
  eligible,
  keepsLimits,
  metMinimums,
  requestOf,
  weightOf,
} from './support/lists.ts';

const composer = createComposer();

type Draw = Partial<SlotExploration>;

const composeDrawn = (request: ComposeRequest, chance: () => number, draw: Draw = {}) => {
  const exploration = { slots: [2, 3, 5], of: 10, temperature: 0.5, scoreOf: (i: number) => 60 - i, chance };
  return composer.compose({ ...request, exploration: { ...exploration, ...draw } });
};

type Drawn = ReturnType<typeof composeDrawn>;

const pickedOf = ({ items }: Pick<Drawn, 'items'>) =>
  items.flatMap(({ itemIndex, injected }) => (injected ? [] : [itemIndex!]));

/** The list before it was drawn. */
const composedOf = ({ items, drawn }: Drawn) => ({
  items: items.map((item) => {
    const slot = drawn?.slots.find(({ rank }) => rank === item.rank);
    return slot ? { ...item, itemIndex: slot.composedItemIndex } : item;
  }),
});

const totalWeight = (one: Case, picked: readonly number[]) =>
  picked.reduce((sum, itemIndex) => sum + weightOf(one, one.products[itemIndex]), 0);

const everything = cases({ products: 60, size: 12, mins: true, musts: true, preferences: 3, injected: true });

test('drawn lists keep musts, limits, minimums, weight and length', (t) => {
  let changed = 0;
  fc.assert(
    fc.property(everything, fc.integer({ min: 1, max: 1e9 }), fc.boolean(), (one, seed, isNew) => {
      const newest = isNew ? one.products.map((_, i) => i).filter((i) => i % 2 === 0) : undefined;
      const list = composeDrawn(requestOf(one), createChance(seed).next, { newest });
      const [before, after] = [pickedOf(composedOf(list)), pickedOf(list)];
      t.is(new Set(after).size, after.length);
      t.true(after.every((itemIndex) => eligible(one).includes(itemIndex)));
      t.true(keepsLimits(one, after));
      t.deepEqual(metMinimums(one, after), metMinimums(one, before));
      t.is(totalWeight(one, after), totalWeight(one, before));
      for (const { itemIndex, propensity, composedItemIndex } of list.drawn?.slots ?? []) {
        t.true(propensity > 0 && propensity <= 1 + 1e-9, `${propensity}`);
        if (itemIndex !== composedItemIndex) changed += 1;
      }
      if (!isNew) t.deepEqual(before, pickedOf(composer.compose(requestOf(one))));
    }),
  );
  t.true(changed > 50, `${changed}`);
});

const brands = (count: number): Case => ({
  ...{ products: Array.from({ length: count }, (_, i) => ({ brand: `b${i % 4}`, tags: [], enabled: true })) },
  ...{
    size: 6,
    rules: [],
    preferences: [],
    injected: new Map(),
    excluded: [],
    known: count,
    directAccess: false,
  },
});

const oneOfBrand: Case['rules'] = [{ kind: 'diversify', key: 'brand', max: 2 }];

const rounds = 2_000;

for (const { name, one, draw, isExact } of [
  { name: 'by score in one slot', one: brands(30), draw: { slots: [4] }, isExact: true },
  { name: 'by score in several slots', one: brands(30), draw: {}, isExact: false },
  { name: 'within a rule', one: { ...brands(30), rules: oneOfBrand }, draw: {}, isExact: false },
  { name: 'among new items', one: brands(30), draw: { newest: [1, 20, 21, 22, 23, 24] }, isExact: true },
])
  test(`propensities are the shares of lists that show the items: ${name}`, (t) => {
    const shown = new Map<string, { count: number; propensity: number }>();
    const chance = createChance(7);
    const request = requestOf(one);
    for (let round = 0; round < rounds; round++) {
      const { slots, drawCount } = composeDrawn(request, chance.next, draw).drawn!;
      t.is(drawCount === 0, isExact);
      for (const { rank, itemIndex, propensity } of slots) {
        const key = `${rank} ${itemIndex}`;
        const known = shown.get(key) ?? { count: 0, propensity: 0 };
        shown.set(key, { count: known.count + 1, propensity: known.propensity + propensity });
      }
    }
    t.true(shown.size > 5);
    for (const [key, { count, propensity }] of shown) {
      const [share, mean] = [count / rounds, propensity / count];
      const error = Math.sqrt((mean * (1 - mean)) / rounds);
      t.true(Math.abs(share - mean) < 5 * error + 0.001, `${key}: ${share} of lists, ${mean}`);
    }
  });

test('the probabilities of all items of a slot add up to 1, and equal seeds draw equally', (t) => {
  const one = { ...brands(30), rules: oneOfBrand };
  const [first, again] = [1, 2].map(() =>
    composeDrawn(requestOf(one), createChance(3).next, { withOdds: true }),
  );
  t.deepEqual(first, again);
  for (const { odds } of first.drawn!.slots) {
    const sum = [...odds!.values()].reduce((total, probability) => total + probability, 0);
    t.true(Math.abs(sum - 1) < 1e-9);
  }
});
