/** Team-draft interleaving: its draft, and how soon clicks on it find the better ranker. */

import test from 'ava';
import { draftTeams } from '../../../src/ranking/lists/team-draft.ts';
import { countFalseFinds, drawHabits, measureVisitors, type Visitor } from './support/interleaving.ts';

const keyOf = (item: string) => item;

const drafts: [name: string, coin: boolean, first: string, second: string, drafted: string][] = [
  ['the coin decides who picks first', true, 'abc', 'xyz', 'a0 x1 b0 y1'],
  ['the other side of the coin', false, 'abc', 'xyz', 'x1 a0 y1 b0'],
  ['an item of both is taken once', true, 'abc', 'abd', 'a0 b1 c0 d1'],
  ['a list that ends leaves the rest to the other one', true, 'a', 'xyzv', 'a0 x1 y1 z1'],
  ['equal lists', true, 'ab', 'ab', 'a0 b1'],
];

for (const [name, coin, first, second, expected] of drafts)
  test(`draft: ${name}`, (t) => {
    const drafted = draftTeams([[...first], [...second]], { size: 4, keyOf, coin: () => coin });
    t.is(drafted.map(({ item, team }) => `${item}${team}`).join(' '), expected);
  });

/** Rankers know the taste of a visitor for 50 items with noise, and the better one with less of it. */
const itemCount = 50;
const shown = 10;
const noises = [1.4, 1];

function createVisitor(chance: () => number): Visitor {
  const { listCount, clicksOn } = drawHabits(chance);
  const tastes = Array.from({ length: itemCount }, () => chance() ** 3);
  const rank = (variant: 0 | 1) => {
    const scores = tastes.map((taste) => taste + noises[variant] * chance());
    const order = scores.toSorted((a, b) => b - a);
    return order.slice(0, shown).map((score) => scores.indexOf(score));
  };
  return {
    listCount,
    rank,
    draft: ([first, second]) =>
      draftTeams<number>([rank(first), rank(second)], {
        size: shown,
        keyOf: String,
        coin: () => chance() < 0.5,
      }),
    clicks: (item, place) => clicksOn(tastes[item], place),
  };
}

test('interleaving finds the better ranker with about a tenth of the visitors of a split', (t) => {
  const { draft, split, found } = measureVisitors(createVisitor);
  t.true(found >= 4);
  t.true(draft * 9 < split, `${draft} of ${split}`);
});

test('equal rankers are rarely told apart', (t) => {
  const found = countFalseFinds(createVisitor);
  t.true(found <= 5, `${found}`);
});
