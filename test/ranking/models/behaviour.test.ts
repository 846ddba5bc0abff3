/** Behaviour that every model must have. */

import { readFileSync } from 'node:fs';
import test from 'ava';
import { add, reserve } from '../../../src/ranking/models/arrays/accumulator.ts';
import { createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import { packModels, type TrainedModels, unpackModels } from '../../../src/ranking/models/artefact.ts';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import { type IndexMapping, type Model, sumIndexOf } from '../../../src/ranking/models/model.ts';
import { createNewItems } from '../../../src/ranking/models/new-items.ts';
import { servePortfolio, trainPortfolio } from '../../../src/ranking/models/portfolio.ts';
import { type ModelTables, modelEntries, trainedEntries } from '../../../src/ranking/models/registry.ts';
import { isTrendName } from '../../../src/ranking/models/trends/trends.ts';
import { findVectorNeighbours } from '../../../src/ranking/models/vectors.ts';
import {
  identityMapping,
  nowSeconds,
  plantedWorld,
  themeSize,
  themesOf,
  type World,
  worldOf,
} from './world.ts';

const staysInTheme = (items: number[]) =>
  items
    .filter((item) => item > 1)
    .slice(0, 5)
    .every((item) => item < themeSize);

const beginsWithMostSeen = (items: number[]) => items[0] === 0;

/** All other items have an event before the first event of item 9. */
const beginsWithNewest = (items: number[]) => items[0] === 9;

/** Repeats need an earlier event of the same item. */
const isWhatWasMet = (items: number[]) => [0, 1].every((item) => items.slice(0, 2).includes(item));

/** Items 0 and 10 were clicked at every impression, item 5 seldom. */
const endsWithIgnored = (items: number[]) => items[0] === 0 && items[1] === 10 && items.at(-1) === 5;

/** Checks by model whether the ranking for seeds 0 and 1 shows the planted structure. */
const planted: Record<string, (items: number[]) => boolean> = {
  co_visits: staysInTheme,
  item_ridge: staysInTheme,
  transitions: staysInTheme,
  session_knn: staysInTheme,
  repeats: isWhatWasMet,
  rhythm: isWhatWasMet,
  content_similarity: staysInTheme,
  vectors: staysInTheme,
  ials: staysInTheme,
  popularity: beginsWithMostSeen,
  trending: beginsWithMostSeen,
  freshness: beginsWithNewest,
  click_through: endsWithIgnored,
  baskets: staysInTheme,
  saturation: (items) => items[0] === themeSize && items.at(-1) === themeSize - 1,
  ignored: (items) => items[0] === 0 && items.at(-1) === itemLeftAlone,
  new_items: (items) => newOnes.slice(0, 2).every((item) => items.slice(0, 3).includes(item)),
};

/** Items with repeated impressions and no click of the subject. */
const itemLeftAlone = 5;

/** Items served as if they were newer than the training: boats, the seeds' theme, and lamps. */
const newOnes = [3, 8, 12];

/** Serves one model of a world, with a mapping that has its new items. */
type Served = { model: Model; mapping: IndexMapping };

function serve(name: string, world: World, models: TrainedModels, mapping: IndexMapping): Served {
  if (name === 'new_items') return serveNewItems(world, models, mapping);
  return { model: servePortfolio(models, mapping).find((model) => model.name === name)!, mapping };
}

function serveNewItems(world: World, models: TrainedModels, { localOf, itemIndexOf }: IndexMapping): Served {
  const areNew = newOnes.filter((local) => (itemIndexOf[local] ?? -1) >= 0);
  const places = new Set(areNew.map((local) => itemIndexOf[local]));
  const mapping = {
    localOf: localOf.map((local, itemIndex) => (places.has(itemIndex) ? -1 : local)),
    itemIndexOf: itemIndexOf.map((itemIndex, local) => (newOnes.includes(local) ? -1 : itemIndex)),
  };
  const newItems = createNewItems({ tables: models.contentSimilarity!, mapping });
  for (const local of areNew) newItems.set(itemIndexOf[local], featuresAt(world, local));
  return { model: newItems.model, mapping };
}

function featuresAt({ matrix: { offsets, feature, hashes, weight } }: World, local: number) {
  const entries = Array.from({ length: offsets[local + 1] - offsets[local] }, (_, at) => offsets[local] + at);
  return entries.map((at) => ({ hash: hashes[feature[at]], weight: weight[at] }));
}

/** Proposes every item with score 0, so that a model that only lifts has something to lift. */
const everything = (mapping: IndexMapping): Model => ({
  name: 'everything',
  role: 'proposes',
  accumulate(_query, _weight, accumulator) {
    for (const item of mapping.localOf.keys()) {
      const index = sumIndexOf(mapping, item);
      reserve(accumulator, index + 1);
      add(accumulator, index, 0);
    }
  },
  explain: () => [],
});

/** A world without impressions, which models of impressions must handle. */
const nothing = { item: new Int32Array(), timeSeconds: new Float64Array() };
const noExposures = { ...nothing, shown: new Uint8Array(), answered: new Uint8Array() };
const noSightings = { ...nothing, subjectOffsets: new Int32Array(1) };

function train({ interactions, matrix, itemCount }: World): ModelTables {
  const { exposures = noExposures, sightings = noSightings, subjectOffsets, item } = interactions;
  /** Treats all views of a subject as one purchase. */
  const orders = { offsets: subjectOffsets, item };
  const tables = trainPortfolio({
    interactions: { ...interactions, exposures, sightings, orders },
    categories: themesOf(itemCount),
    features: matrix,
    vectorNeighbours: findVectorNeighbours([vectorsOfThemes(itemCount)], itemCount),
    nowSeconds,
    reconsumable: new Uint8Array(itemCount + 1).fill(1),
    settings: { ials: { dimensions: 4 } },
  });
  /** As if half of those who bought something turned away from its theme. */
  if (interactions.item.length > 0) tables.saturation!.scores.fill(-0.5);
  return tables;
}

/** Vectors of the planted world; other worlds are without. */
function vectorsOfThemes(itemCount: number) {
  const rowCount = itemCount === themeSize * 2 ? itemCount : 0;
  const numbers = Int8Array.from({ length: 16 * rowCount }, (_, at) => {
    const [item, place] = [Math.floor(at / 16), at % 16];
    if (place < 2) return place === Number(item >= themeSize) ? 100 : 0;
    return place - 2 === item % 14 ? 30 : 0;
  });
  const items = Int32Array.from({ length: rowCount }, (_, item) => item);
  return { items, numbers, factors: new Float32Array(rowCount).fill(0.01) };
}

/** Cached, since training is expensive and artefacts are not modified. */
const published = new WeakMap<World, SharedArrayBuffer>();

function publish(world: World): SharedArrayBuffer {
  const known = published.get(world);
  if (known !== undefined) return known;
  const keys = Array.from({ length: world.itemCount }, (_, item) => `product\u0000item-${item}`);
  const packed = packModels({ itemKeys: createStringTable(keys), ...train(world) });
  published.set(world, packed);
  return packed;
}

/** The worlds that each model is tested in. */
const ofThemes = plantedWorld();
const empty = worldOf([], []);
const onceBought = { subjectKey: 's', itemId: 'item-0', eventType: 'purchase', timeSeconds: nowSeconds };
const ofOneItem = worldOf([{ title: 'alone' }], [onceBought]);
const ofUnknown = worldOf([{}, {}, {}], []);

function scorerFor(name: string, world: World, from = identityMapping(world.itemCount)) {
  const unpacked = unpackModels(publish(world));
  if (!unpacked.ok) throw new Error(unpacked.reason);
  const { model, mapping } = serve(name, world, unpacked.models, from);
  const models = [everything(mapping), model];
  const blend = createBlend({ mapping, models, weights: { everything: 1, [name]: 2 } });
  const scorer = createScorer({ itemCount: world.itemCount });
  const leftAlone = mapping.itemIndexOf[itemLeftAlone] ?? -1;
  const ignored = leftAlone < 0 ? [] : [{ itemIndex: leftAlone, times: 4 }];
  const bought = [{ itemIndex: mapping.itemIndexOf[0] ?? -1, ageSeconds: 0 }];
  return (recents: number[], limit = 100, stepSeconds = 60) => {
    const seeds = recents.map((itemIndex, place) => {
      const rhythm = { visits: 2, since: 3, spanSeconds: stepSeconds, idleSeconds: stepSeconds };
      return { itemIndex, ageSeconds: place * stepSeconds, weight: 1, rhythm };
    });
    const count = scorer.score(blend, { recents: seeds, segments: [0], limit, ignored, bought });
    const items = Array.from(scorer.items.subarray(0, count));
    return { items, scores: Array.from(scorer.scores.subarray(0, count)), explain: scorer.explain };
  };
}

/** Trends are counted live instead of trained: see trends/. */
for (const { name } of modelEntries.filter((entry) => !isTrendName(entry.name))) {
  test(`${name} finds the planted structure`, (t) => {
    const { items } = scorerFor(name, ofThemes)([0, 1]);
    t.true(planted[name](items));
  });

  test(`${name} orders equal scores by index`, (t) => {
    const { items, scores } = scorerFor(name, ofThemes)([0, 3, 5]);
    for (let rank = 1; rank < items.length; rank++) {
      t.true(scores[rank - 1] > scores[rank] || items[rank - 1] < items[rank]);
    }
  });

  test(`${name} explains each score as the sum of its parts`, (t) => {
    const { items, scores, explain } = scorerFor(name, ofThemes)([0, 3, 5, 11]);
    items.forEach((item, rank) => {
      const explanation = explain(item)!;
      const sum = explanation.parts.reduce((total, part) => total + part.score, 0);
      t.is(explanation.score, scores[rank]);
      t.true(Math.abs(sum - scores[rank]) < 1e-6);
    });
    t.true(scores.some((score) => score !== 0));
  });

  test(`${name} gives finite scores if all known interests are gone`, (t) => {
    const score = scorerFor(name, ofThemes);
    const { items, scores, explain } = score([-1, 0], 100, 100 * 365 * 86_400);
    t.true(scores.every(Number.isFinite));
    t.true(explain(items[0])!.parts.every((part) => Number.isFinite(part.score)));
  });

  test(`${name} gives no scores without items`, (t) => {
    const score = scorerFor(name, empty);
    t.deepEqual(score([]).items, []);
  });

  test(`${name} handles one item and one event`, (t) => {
    const score = scorerFor(name, ofOneItem);
    t.deepEqual(score([0]).items, [0]);
    t.true(Number.isFinite(score([0]).scores[0]));
  });

  test(`${name} handles items without any data`, (t) => {
    const { items, scores } = scorerFor(name, ofUnknown)([1]);
    t.deepEqual(items, [0, 1, 2]);
    t.deepEqual(scores, [0, 0, 0]);
  });

  test(`${name} follows a catalogue with moved, removed and added items`, (t) => {
    const world = ofThemes;
    const before = scorerFor(name, world)([1]);
    // Every item moves up by one; local 2 is removed and a new item takes its place.
    const mapping = {
      localOf: Int32Array.from({ length: world.itemCount + 1 }, (_, at) =>
        at === 0 || at === 3 ? -1 : at - 1,
      ),
      itemIndexOf: Int32Array.from({ length: world.itemCount }, (_, local) => (local === 2 ? -1 : local + 1)),
    };
    const after = scorerFor(name, world, mapping)([2]);
    const scoreAfter = new Map(after.items.map((item, rank) => [item, after.scores[rank]]));
    before.items.forEach((item, rank) => {
      if (item !== 2) t.is(scoreAfter.get(item + 1), before.scores[rank]);
    });
    t.is(scoreAfter.get(3), 0);
    t.is(scoreAfter.get(0), 0);
  });
}

const trainedTwice = [train(plantedWorld()), train(plantedWorld())];

for (const [key, { name }] of trainedEntries) {
  test(`${name} gives the same bytes for the same input`, (t) => {
    const [once, again] = trainedTwice.map((tables) => tables[key]);
    t.truthy(once);
    t.deepEqual(once, again);
  });
}

test('a damaged artefact is refused', (t) => {
  const buffer = publish(ofThemes);
  for (const place of [0, 5, 9, 13, 40, buffer.byteLength >> 1, buffer.byteLength - 9]) {
    const damaged = new Uint8Array(new Uint8Array(buffer)).buffer;
    new Uint8Array(damaged)[place] ^= 0x10;
    t.false(unpackModels(damaged).ok, `byte ${place}`);
  }
  t.false(unpackModels(buffer.slice(0, buffer.byteLength - 8)).ok);
  t.false(unpackModels(new ArrayBuffer(3)).ok);
});

test('the models have the names of the registry, and the deployment file accepts all of them', (t) => {
  const mapping = identityMapping(themeSize * 2);
  t.deepEqual(
    servePortfolio(trainedTwice[0], mapping).map(({ name }) => name),
    trainedEntries.map(([, { name }]) => name),
  );
  t.deepEqual(
    trainedEntries.map(([, { algorithm }]) => algorithm.name),
    trainedEntries.map(([, { name }]) => name),
  );
  const documented = readFileSync(new URL('../../../docs/deployment-file.md', import.meta.url), 'utf8')
    .match(/A version may change the weights of these models: ([^.]*)\./)![1]
    .matchAll(/`(\w+)`/g);
  t.deepEqual(Array.from(documented, ([, name]) => name).sort(), modelEntries.map(({ name }) => name).sort());
});
