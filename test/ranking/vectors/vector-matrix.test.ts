/** Scans of 8-bit vectors against scans of the vectors themselves, on random and clustered worlds. */

import test from 'ava';
import { createVectorMatrix, lengthOf } from '../../../src/ranking/vectors/vector-matrix.ts';
import { chanceOf } from '../../quality/live/chance.ts';

type World = { dimensions: number; vectors: Float64Array[] };

const comesBefore = (one: number, other: number) => one < other;

/** Normally distributed numbers by the sum of twelve uniform ones. */
function gaussian(random: () => number): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random();
  return sum;
}

function unit(vector: Float64Array): Float64Array {
  const length = lengthOf(vector);
  return vector.map((value) => value / length);
}

const randomVector = (dimensions: number, random: () => number) =>
  Float64Array.from({ length: dimensions }, () => gaussian(random));

const randomWorld = (dimensions: number, count: number, random: () => number): World => ({
  dimensions,
  vectors: Array.from({ length: count }, () => unit(randomVector(dimensions, random))),
});

/** Vectors near one of 40 centres, with directions of very different spread, as of real encoders. */
function clusteredWorld(dimensions: number, count: number, random: () => number): World {
  const spread = Float64Array.from({ length: dimensions }, (_, at) => 1 / Math.sqrt(1 + at));
  const draw = () => randomVector(dimensions, random).map((value, at) => value * spread[at]);
  const centres = Array.from({ length: 40 }, draw);
  const vectors = Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() * centres.length)];
    return unit(draw().map((value, at) => centre[at] + value * 0.5));
  });
  return { dimensions, vectors };
}

function dot(one: Float64Array, other: Float64Array): number {
  return one.reduce((sum, value, at) => sum + value * other[at], 0);
}

function naive({ vectors }: World, target: Float64Array, admits: (item: number) => boolean): number[] {
  const scored = vectors.flatMap((vector, item) =>
    admits(item) ? [{ item, score: dot(vector, target) }] : [],
  );
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ item }) => item);
}

function matrixOf({ dimensions, vectors }: World) {
  const matrix = createVectorMatrix(dimensions);
  for (const [item, vector] of vectors.entries()) matrix.write(item, vector);
  return matrix;
}

for (const [name, createWorld] of [
  ['random', randomWorld],
  ['clustered', clusteredWorld],
] as const)
  for (const dimensions of [24, 64, 256])
    test(`the ten best of ${name} vectors of ${dimensions} numbers are found, also under a filter`, async (t) => {
      const random = chanceOf(dimensions);
      const world = createWorld(dimensions, 4_200, random);
      const matrix = matrixOf(world);
      const recalls: number[] = [];
      for (let i = 0; i < 40; i++) {
        const target = randomVector(dimensions, random).map((value, at) => value + 20 * world.vectors[i][at]);
        const admits = i % 2 === 0 ? () => true : (item: number) => item % 7 === 3;
        const found = (await matrix.scan(target))({ wanted: 10, admits, comesBefore });
        t.true(found.items.every(admits));
        found.items.forEach((item, place) => {
          const exact = dot(world.vectors[item], target);
          t.true(Math.abs(found.similarities[place] - exact) < 0.01 * lengthOf(target));
        });
        const best = naive(world, target, admits);
        recalls.push(best.filter((item) => found.items.includes(item)).length / best.length);
      }
      const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
      t.true(recall >= 0.95, `${recall}`);
    });

test('replaced and removed vectors leave the matrix', async (t) => {
  const random = chanceOf(1);
  const matrix = createVectorMatrix(20);
  const held = new Map<number, Float64Array>();
  for (let step = 0; step < 5_000; step++) {
    const item = Math.floor(random() * 300);
    const vector = random() < 0.4 ? undefined : unit(randomVector(20, random));
    matrix.write(item, vector);
    if (vector) held.set(item, vector);
    else held.delete(item);
  }
  t.is(matrix.count, held.size);
  t.is(matrix.byteLength, held.size * (32 + 12));
  for (const [item, vector] of held) {
    const found = (await matrix.scan(vector))({ wanted: 1_000, admits: () => true, comesBefore });
    t.is(found.items.length, held.size);
    t.is(found.items[0], item);
    t.true(Math.abs(found.similarities[0] - 1) < 0.01);
    t.true(found.items.every((one) => held.has(one)));
  }
});

test('an empty matrix, no wanted item and equal vectors', async (t) => {
  const matrix = createVectorMatrix(3);
  const target = Float64Array.of(1, 2, 3);
  const admits = () => true;
  t.deepEqual((await matrix.scan(target))({ wanted: 5, admits, comesBefore }).items, []);
  for (const item of [4, 2, 9]) matrix.write(item, target);
  t.deepEqual((await matrix.scan(target))({ wanted: 0, admits, comesBefore }).items, []);
  t.deepEqual((await matrix.scan(target))({ wanted: 2, admits, comesBefore }).items, [2, 4]);
});

test('a scan of many vectors lets other work run, and scans at the same time do not mix', async (t) => {
  const random = chanceOf(3);
  const matrix = createVectorMatrix(64);
  const vector = randomVector(64, random);
  for (let item = 0; item < 200_000; item++) {
    vector[item % 64] = random() - 0.5;
    matrix.write(item, vector);
  }
  const targets = [randomVector(64, random), randomVector(64, random)];
  const alone: number[][] = [];
  const best = { wanted: 10, admits: () => true, comesBefore };
  for (const target of targets) alone.push((await matrix.scan(target))(best).items);
  let turns = 0;
  const count = setInterval(() => (turns += 1));
  const together = await Promise.all([...targets, ...targets, ...targets, ...targets].map(matrix.scan));
  clearInterval(count);
  for (const [i, select] of together.entries()) t.deepEqual(select(best).items, alone[i % 2]);
  t.true(turns > 0);
});
