/** Team-draft interleaving: its draft, and how soon clicks on it find the better ranker. */

import test from 'ava';
import { compare } from '../../../src/jobs/experiments/statistics/intervals.ts';
import { meanOf } from '../../../src/jobs/experiments/statistics/moments.ts';
import { checkSampleRatio } from '../../../src/jobs/experiments/statistics/sample-ratio.ts';
import { draftTeams } from '../../../src/ranking/lists/team-draft.ts';
import { createChance } from '../../jobs/experiments/support.ts';

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
const noises = { worse: 1.4, better: 1 };

/** Most visitors come once or twice and click little; some come often and click much. */
function createVisitor(chance: () => number) {
  const activity = chance() ** 4;
  const tastes = Array.from({ length: itemCount }, () => chance() ** 3);
  const rank = (noise: number) => {
    const scores = tastes.map((taste) => taste + noise * chance());
    const order = scores.toSorted((a, b) => b - a);
    return order.slice(0, shown).map((score) => scores.indexOf(score));
  };
  const clicks = (item: number, place: number) => chance() < (activity * tastes[item]) / Math.sqrt(place + 1);
  return { listCount: 1 + Math.floor(30 * activity), rank, clicks };
}

/** Returns visits drawn with replacement from those of 2,000 visitors, because drawing a visitor takes long. */
function drawFrom<Visit>(visit: (chance: () => number) => Visit): (chance: () => number) => Visit {
  const chance = createChance(1);
  const visits = Array.from({ length: 2_000 }, () => visit(chance));
  return (next) => visits[Math.floor(next() * visits.length)];
}

const clicksBy = (noise: number) =>
  drawFrom((chance) => {
    const visitor = createVisitor(chance);
    let clicks = 0;
    for (let list = 0; list < visitor.listCount; list += 1)
      clicks += visitor.rank(noise).filter(visitor.clicks).length;
    return clicks;
  });

/** The team whose items the visitor clicked in more lists; undefined for a tie. */
const preferredTeam = (second: number) =>
  drawFrom((chance): 0 | 1 | undefined => {
    const visitor = createVisitor(chance);
    let balance = 0;
    for (let list = 0; list < visitor.listCount; list += 1) {
      const lists = [visitor.rank(noises.worse), visitor.rank(second)] as const;
      const options = { size: shown, keyOf: String, coin: () => chance() < 0.5 };
      const clicked = draftTeams<number>(lists, options).filter(({ item }, place) =>
        visitor.clicks(item, place),
      );
      for (const team of new Set(clicked.map((one) => one.team))) balance += team === 1 ? 1 : -1;
    }
    return balance === 0 ? undefined : balance > 0 ? 1 : 0;
  });

const most = 20_000;

/** Returns the visitors until an always-valid test at 5 % finds the better ranker. */
function visitorsOfSplit(
  chance: () => number,
  clicks: readonly ((chance: () => number) => number)[],
): number {
  const arms = [0, 1].map(() => ({ count: 0, sum: 0, squares: 0 }));
  for (let count = 1; count <= most; count += 1) {
    const arm = count % 2;
    const clicked = clicks[arm](chance);
    arms[arm].count += 1;
    arms[arm].sum += clicked;
    arms[arm].squares += clicked * clicked;
    if (count % 100 > 0) continue;
    const { isSignificant, value } = compare(meanOf(arms[0]), meanOf(arms[1]), 'alwaysValid', 0.95);
    if (isSignificant && value > 0) return count;
  }
  return most;
}

/** Returns the visitors until a team is preferred, and whether it is the second one. */
function interleave(chance: () => number, preferred: ReturnType<typeof preferredTeam>, longest = most) {
  const wins = [0, 0];
  for (let count = 1; count <= longest; count += 1) {
    const team = preferred(chance);
    if (team !== undefined) wins[team] += 1;
    if (count % 20 === 0 && checkSampleRatio(wins, [0.5, 0.5]).pValue < 0.05)
      return { count, isSecond: wins[1] > wins[0] };
  }
  return { count: longest, isSecond: undefined };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

test('interleaving finds the better ranker with about a tenth of the visitors of a split', (t) => {
  const runs = Array.from({ length: 5 }, (_, seed) => seed + 1);
  const preferred = preferredTeam(noises.better);
  const drafts = runs.map((seed) => interleave(createChance(seed), preferred));
  const draft = median(drafts.map(({ count }) => count));
  const clicks = [noises.worse, noises.better].map(clicksBy);
  const split = median(runs.map((seed) => visitorsOfSplit(createChance(seed), clicks)));
  t.true(drafts.filter(({ isSecond }) => isSecond).length >= 4);
  t.true(draft * 9 < split, `${draft} of ${split}`);
});

test('equal rankers are rarely told apart', (t) => {
  const runs = Array.from({ length: 100 }, (_, seed) => seed + 5_000);
  const preferred = preferredTeam(noises.worse);
  const found = runs.filter((seed) => interleave(createChance(seed), preferred, 400).isSecond !== undefined);
  t.true(found.length <= 5, `${found.length}`);
});
