import test from 'ava';
import { createChance } from '../../../src/deployment/demo/random.ts';
import { itemRidge } from '../../../src/ranking/models/item-ridge.ts';
import { createSequences } from '../../../src/ranking/models/sequences.ts';
import { view, worldOf } from './world.ts';

const itemCount = 1_000;
const size = 12;
const items = Array.from({ length: itemCount }, (_, item) => item);
const neighboursOf = (item: number) =>
  Array.from({ length: size }, (_, place) => (item + 1 + 83 * place) % itemCount);

/** Solves (G + λ D) w = g by repeated substitution, from products of the items' columns. */
function solvePlainly(columns: Map<number, number>[]) {
  const product = (one: number, other: number) =>
    [...columns[one]].reduce((sum, [subject, value]) => sum + value * (columns[other].get(subject) ?? 0), 0);
  const squares = items.map((item) => product(item, item));
  const mean = squares.reduce((sum, one) => sum + one, 0) / squares.filter((one) => one > 0).length;
  return (item: number): number[] => {
    const members = neighboursOf(item);
    const gram = members.map((one) => members.map((other) => product(one, other)));
    const target = members.map((member) => product(member, item));
    const weights = members.map(() => 0);
    for (let round = 0; round < 100; round++)
      members.forEach((member, place) => {
        const others = weights.reduce(
          (sum, weight, at) => sum + (at === place ? 0 : weight * gram[place][at]),
          0,
        );
        const penalty = 3 * mean * Math.sqrt(squares[member] / mean);
        weights[place] = penalty === 0 ? 0 : (target[place] - others) / (squares[member] + penalty);
      });
    return weights;
  };
}

test('each item solves the equations of its neighbourhood, popular or not', (t) => {
  const chance = createChance('ridge');
  const events = Array.from({ length: 9_000 }, (_, time) =>
    view(`u${chance.whole(1, 400)}`, Math.floor(itemCount * chance.fraction() ** 2), time),
  );
  const { interactions } = worldOf(
    items.map(() => ({})),
    events,
  );
  const { offsets, item, strength } = createSequences(interactions, 500);
  const columns = items.map(() => new Map<number, number>());
  for (let subject = 0; subject + 1 < offsets.length; subject++)
    for (let at = offsets[subject]; at < offsets[subject + 1]; at++)
      columns[item[at]].set(
        subject,
        Math.sqrt(strength[at] / Math.sqrt(offsets[subject + 1] - offsets[subject])),
      );
  const table = itemRidge.train(interactions, {
    neighbourhoods: {
      offsets: Int32Array.from({ length: itemCount + 1 }, (_, row) => row * size),
      items: Int32Array.from(items.flatMap(neighboursOf)),
      scores: new Float32Array(itemCount * size),
    },
    neighbourhoodSize: size,
  });
  const solve = solvePlainly(columns);
  const plain = items.map(() => new Map<number, number>());
  for (const one of items)
    solve(one).forEach((weight, place) => {
      if (weight > 1e-9) plain[neighboursOf(one)[place]].set(one, weight);
    });
  const unit = table.scores[0] / plain[0].get(table.items[0])!;
  for (const row of items)
    for (let at = table.offsets[row]; at < table.offsets[row + 1]; at++) {
      const expected = unit * (plain[row].get(table.items[at]) ?? 0);
      if (Math.abs(table.scores[at] - expected) > 1e-5 * (1 + expected)) t.fail(`${row} ${table.items[at]}`);
      plain[row].delete(table.items[at]);
    }
  t.deepEqual(
    [...plain.keys()].filter((row) => plain[row].size > 0),
    [],
  );
});
