/** Neighbours by vectors: exact in small catalogues, near them in large ones, equal on any threads. */

import test from 'ava';
import type { Rows } from '../../../src/ranking/models/arrays/rows.ts';
import { joinRows, type RunRows } from '../../../src/ranking/models/row-stages.ts';
import { findVectorNeighbours } from '../../../src/ranking/models/vectors.ts';
import { createItemVectors } from '../../../src/ranking/vectors/item-vectors.ts';

const catalog = { indexesOfId: () => [], comesBefore: (a: number, b: number) => a < b };

type Named = Record<string, (number[] | undefined)[]>;

function rowsOf(vectors: Named, metric: 'cosine' | 'dot' = 'cosine') {
  const definitions = Object.entries(vectors).map(
    ([name, [first]]) => [name, { name, dimensions: first!.length, metric }] as const,
  );
  const stored = createItemVectors(new Map(definitions), catalog);
  const itemCount = Math.max(...Object.values(vectors).map((own) => own.length));
  for (let item = itemCount - 1; item >= 0; item--)
    stored.write(item, Object.fromEntries(Object.entries(vectors).map(([name, own]) => [name, own[item]])));
  return stored.rows();
}

function neighboursOf({ offsets, items, scores }: Rows, item: number): [item: number, score: number][] {
  const entries = Array.from({ length: offsets[item + 1] - offsets[item] }, (_, at) => offsets[item] + at);
  return entries.map((at) => [items[at], scores[at]]);
}

const orderOf = (rows: Rows, item: number) => neighboursOf(rows, item).map(([other]) => other);

/** A generator of numbers from -1 to 1 (Lehmer). */
function createChance(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state / 2_147_483_647) * 2 - 1;
  };
}

const at = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];

test('neighbours are ordered by cosine, opposite and missing ones are left out', (t) => {
  const rows = findVectorNeighbours(rowsOf({ look: [at(0), at(30), at(20), at(180), undefined] }), 6);
  t.deepEqual(
    [0, 1, 3, 4, 5].map((item) => orderOf(rows, item)),
    [[2, 1], [2, 0], [], [], []],
  );
});

test('a dot product counts lengths', (t) => {
  const rows = findVectorNeighbours(
    rowsOf(
      {
        worth: [
          [1, 0],
          [1, 0],
          [3, 3],
        ],
      },
      'dot',
    ),
    3,
  );
  t.deepEqual(orderOf(rows, 0), [2, 1]);
});

test('best neighbours average 1, and several vectors count equally', (t) => {
  const look = [at(0), at(5), at(90)];
  const taste = [
    [1, 0, 0],
    [0, 1, 0],
    [9, 0, 0],
  ];
  const rows = findVectorNeighbours(rowsOf({ look, taste }), 3);
  t.deepEqual(orderOf(rows, 0).sort(), [1, 2]);
  for (const [, score] of neighboursOf(rows, 0)) t.true(Math.abs(score - 0.5) < 0.35, String(score));
  t.deepEqual(findVectorNeighbours(rowsOf({ look }), 3), findVectorNeighbours(rowsOf({ look }), 3));
});

/** 3,000 items in 60 clusters with 512 numbers each: three times as many as are compared per item. */
function clustered(): number[][] {
  const chance = createChance(7);
  const centres = Array.from({ length: 60 }, () => Array.from({ length: 512 }, chance));
  return Array.from({ length: 3_000 }, (_, item) => centres[item % 60].map((value) => value + chance()));
}

/** Rows in three parts, as threads compute them. */
const inParts: RunRows = (stage, plan, rowCount) =>
  joinRows(
    [0, 1, 2].map((part) =>
      stage.rows(plan, Math.floor((part * rowCount) / 3), Math.floor(((part + 1) * rowCount) / 3)),
    ),
  );

test('a large catalogue is compared in part, with the same rows on any threads', (t) => {
  const named = rowsOf({ look: clustered() });
  const rows = findVectorNeighbours(named, 3_000);
  t.deepEqual(findVectorNeighbours(named, 3_000, inParts), rows);
  t.is(rows.items.length, 50 * 3_000);
  let near = 0;
  for (let item = 0; item < 3_000; item++)
    near += orderOf(rows, item).filter((other) => other % 60 === item % 60).length;
  t.true(near >= 0.75 * 49 * 3_000, `${near} of ${49 * 3_000}`);
});
