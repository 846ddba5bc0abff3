import test from 'ava';
import { createAccumulator } from '../../../src/ranking/models/arrays/accumulator.ts';
import type { Rows } from '../../../src/ranking/models/arrays/rows.ts';
import { createNeighbourModel } from '../../../src/ranking/models/neighbours.ts';
import { createQuery, defaultSeedProfile, fillQuery, weighSeeds } from '../../../src/ranking/models/query.ts';
import {
  createReadingDepths,
  entriesPerPlace,
  leastEntries,
} from '../../../src/ranking/models/reading-depths.ts';
import { fc } from '../../support/properties.ts';
import { identityMapping } from './world.ts';

/** Scores of each row, best first; items count up from the row's own number. */
function tableOf(rows: readonly (readonly number[])[]): Rows {
  const offsets = Int32Array.of(0, ...rows.map((_, row) => rows.slice(0, row + 1).flat().length));
  const items = rows.flatMap((scores, row) => scores.map((_, place) => row + place));
  return { offsets, items: Int32Array.from(items), scores: Float32Array.from(rows.flat()) };
}

function askFor(seeds: readonly number[], room: number, itemCount: number) {
  const query = createQuery(room);
  const recents = seeds.map((itemIndex, place) => ({ itemIndex, ageSeconds: place, weight: 1 }));
  fillQuery(query, { recents }, identityMapping(itemCount));
  weighSeeds(query, defaultSeedProfile);
  return query;
}

const scoresArbitrary = (maxLength: number) =>
  fc
    .array(fc.integer({ min: 1, max: 40 }), { maxLength })
    .map((scores) => scores.map((score) => score / 8).sort((a, b) => b - a));

test('rows that fit into the budget are read whole', (t) => {
  const room = 3;
  const most = Math.floor((entriesPerPlace * (room + 1)) / room);
  fc.assert(
    fc.property(fc.array(scoresArbitrary(most), { minLength: 1, maxLength: room }), (rows) => {
      const query = askFor([...rows.keys()], room, rows.length);
      const depths = createReadingDepths(tableOf(rows)).of(query);
      t.deepEqual(
        [...depths.subarray(0, rows.length)],
        rows.map((scores) => scores.length),
      );
    }),
  );
});

test('longer rows are cut within the budget, dropping the smallest contributions beyond the minimum', (t) => {
  const room = 4;
  const budget = entriesPerPlace * (room + 1);
  const rowsArbitrary = fc.array(scoresArbitrary(600), { minLength: 1, maxLength: room });
  fc.assert(
    fc.property(rowsArbitrary, (rows) => {
      const query = askFor([...rows.keys()], room, rows.length);
      const depths = createReadingDepths(tableOf(rows)).of(query);
      let total = 0;
      let leastRead = Number.POSITIVE_INFINITY;
      let mostLeft = 0;
      rows.forEach((scores, seed) => {
        const depth = depths[seed];
        total += depth;
        t.true(depth >= Math.min(leastEntries, scores.length) && depth <= scores.length);
        if (depth > leastEntries) leastRead = Math.min(leastRead, query.seedWeight[seed] * scores[depth - 1]);
        if (depth < scores.length) mostLeft = Math.max(mostLeft, query.seedWeight[seed] * scores[depth]);
      });
      t.true(total <= budget + leastEntries * rows.length);
      t.true(mostLeft <= leastRead + 1e-6);
    }),
  );
});

test('endless equal scores are read up to the minimum', (t) => {
  const rows = [0, 1].map(() => new Array(5_000).fill(1));
  const query = askFor([0, 1], 1, rows.length);
  const depths = createReadingDepths(tableOf(rows)).of(query);
  t.true(depths[0] >= leastEntries && depths[0] <= entriesPerPlace * 2 + leastEntries);
});

test('a seed without weight and an unknown seed read no row', (t) => {
  const table = tableOf([[1, 0.5], [1]]);
  const query = askFor([0, 1], 2, 2);
  query.seedWeight[0] = 0;
  query.seedLocal[1] = -1;
  t.deepEqual([...createReadingDepths(table).of(query).subarray(0, 2)], [0, 0]);
});

test('explanations leave out cut entries, and their parts add up to the sum', (t) => {
  const rows = [0, 1, 2].map((row) => Array.from({ length: 900 - 200 * row }, (_, place) => 1 / (1 + place)));
  const itemCount = 1_000;
  const table = tableOf([...rows, ...Array.from({ length: itemCount - rows.length }, () => [])]);
  const model = createNeighbourModel('neighbours', table, identityMapping(itemCount));
  const query = askFor([0, 1, 2], 2, itemCount);
  const accumulator = createAccumulator(itemCount);
  model.accumulate(query, 2, accumulator);
  t.true(accumulator.touchedCount < 900);
  for (let item = 0; item < itemCount; item++) {
    const explained = model.explain(query, 2, item).reduce((sum, { score }) => sum + score, 0);
    const isTouched = accumulator.touched.subarray(0, accumulator.touchedCount).includes(item);
    t.true(Math.abs(explained - (isTouched ? accumulator.scores[item] : 0)) < 1e-6);
  }
});
