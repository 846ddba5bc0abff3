/** What every model must do, run over each of them. */

import test from 'ava';
import { createStringTable } from '../../src/models/arrays/string-table.ts';
import { packModels, type TrainedModels, unpackModels } from '../../src/models/artefact.ts';
import { createBlend, createScorer } from '../../src/models/blend.ts';
import { clickThrough } from '../../src/models/click-through.ts';
import { coVisits } from '../../src/models/co-visits.ts';
import { contentSimilarity } from '../../src/models/content-similarity.ts';
import { freshness } from '../../src/models/freshness.ts';
import { ials } from '../../src/models/ials.ts';
import { itemRidge } from '../../src/models/item-ridge.ts';
import type { IndexMapping, Model } from '../../src/models/model.ts';
import { popularity } from '../../src/models/popularity.ts';
import { repeats } from '../../src/models/repeats.ts';
import { sessionKnn } from '../../src/models/session-knn.ts';
import { transitions } from '../../src/models/transitions.ts';
import { trending } from '../../src/models/trending.ts';
import { identityMapping, NOW_SECONDS, plantedWorld, THEME_SIZE, type World, worldOf } from './world.ts';

type Subject = {
  name: string;
  train(world: World): Omit<TrainedModels, 'itemKeys'>;
  serve(models: TrainedModels, mapping: IndexMapping): Model;
  /** Whether the ranking for seeds 0 and 1 shows what the world was planted with. */
  isPlanted(items: number[]): boolean;
};

const staysInTheme = (items: number[]) =>
  items
    .filter((item) => item > 1)
    .slice(0, 5)
    .every((item) => item < THEME_SIZE);

const beginsWithMostSeen = (items: number[]) => items[0] === 0;

/** All others were met by somebody before the first who met item 9. */
const beginsWithNewest = (items: number[]) => items[0] === 9;

/** Only what was met before is there to be met again. */
const isWhatWasMet = (items: number[]) => [0, 1].every((item) => items.slice(0, 2).includes(item));

/** Items 0 and 10 were looked at whenever they were shown, item 5 seldom. */
const endsWithIgnored = (items: number[]) => items[0] === 0 && items[1] === 10 && items.at(-1) === 5;

const subjects: Subject[] = [
  {
    name: 'co_visits',
    train: ({ interactions }) => ({ coVisits: coVisits.train(interactions, {}) }),
    serve: (models, mapping) => coVisits.serve(models.coVisits!, mapping),
    isPlanted: staysInTheme,
  },
  {
    name: 'item_ridge',
    train: ({ interactions }) => ({
      itemRidge: itemRidge.train(interactions, { neighbourhoods: coVisits.train(interactions, {}) }),
    }),
    serve: (models, mapping) => itemRidge.serve(models.itemRidge!, mapping),
    isPlanted: staysInTheme,
  },
  {
    name: 'transitions',
    train: ({ interactions }) => ({ transitions: transitions.train(interactions, {}) }),
    serve: (models, mapping) => transitions.serve(models.transitions!, mapping),
    isPlanted: staysInTheme,
  },
  {
    name: 'session_knn',
    train: ({ interactions }) => ({ sessionKnn: sessionKnn.train(interactions, {}) }),
    serve: (models, mapping) => sessionKnn.serve(models.sessionKnn!, mapping),
    isPlanted: staysInTheme,
  },
  {
    name: 'ials',
    train: ({ interactions }) => ({ ials: ials.train(interactions, { dimensions: 4 }) }),
    serve: (models, mapping) => ials.serve(models.ials!, mapping),
    isPlanted: staysInTheme,
  },
  {
    name: 'repeats',
    train: ({ interactions }) => ({ repeats: repeats.train(interactions, {}) }),
    serve: (models, mapping) => repeats.serve(models.repeats!, mapping),
    isPlanted: isWhatWasMet,
  },
  {
    name: 'popularity',
    train: ({ interactions }) => ({ popularity: popularity.train(interactions, {}) }),
    serve: (models, mapping) => popularity.serve(models.popularity!, mapping),
    isPlanted: beginsWithMostSeen,
  },
  {
    name: 'content_similarity',
    train: ({ matrix }) => ({ contentSimilarity: contentSimilarity.train(matrix, {}) }),
    serve: (models, mapping) => contentSimilarity.serve(models.contentSimilarity!, mapping),
    isPlanted: staysInTheme,
  },
  {
    name: 'trending',
    train: ({ interactions }) => ({ trending: trending.train(interactions, { nowSeconds: NOW_SECONDS }) }),
    serve: (models, mapping) => trending.serve(models.trending!, mapping),
    isPlanted: beginsWithMostSeen,
  },
  {
    name: 'freshness',
    train: ({ interactions }) => ({ freshness: freshness.train(interactions, { nowSeconds: NOW_SECONDS }) }),
    serve: (models, mapping) => freshness.serve(models.freshness!, mapping),
    isPlanted: beginsWithNewest,
  },
  {
    name: 'click_through',
    train: ({ interactions }) => ({ clickThrough: clickThrough.train(interactions, {}) }),
    serve: (models, mapping) => clickThrough.serve(models.clickThrough!, mapping),
    isPlanted: endsWithIgnored,
  },
];

/** Proposes every item with score 0, so that a model that only lifts has something to lift. */
const everything = (itemCount: number): Model => ({
  name: 'everything',
  role: 'proposes',
  accumulate(_query, _weight, accumulator) {
    for (let item = 0; item < itemCount; item++) {
      accumulator.scores[item] = 0;
      accumulator.touched[accumulator.touchedCount++] = item;
    }
  },
  explain: () => [],
});

function publish(subject: Subject, world: World): SharedArrayBuffer {
  const keys = Array.from({ length: world.itemCount }, (_, item) => `product\u0000item-${item}`);
  return packModels({ itemKeys: createStringTable(keys), ...subject.train(world) });
}

function scorerFor(subject: Subject, world: World, mapping = identityMapping(world.itemCount)) {
  const unpacked = unpackModels(publish(subject, world));
  if (!unpacked.ok) throw new Error(unpacked.reason);
  const models = [everything(mapping.localOf.length), subject.serve(unpacked.models, mapping)];
  const blend = createBlend({ mapping, models, weights: { everything: 1, [subject.name]: 2 } });
  const scorer = createScorer({ itemCount: world.itemCount });
  return (recents: number[], limit = 100, stepSeconds = 60) => {
    const seeds = recents.map((itemIndex, place) => {
      return { itemIndex, ageSeconds: place * stepSeconds, weight: 1 };
    });
    const count = scorer.score(blend, { recents: seeds, segments: [0], limit });
    const items = Array.from(scorer.items.subarray(0, count));
    return { items, scores: Array.from(scorer.scores.subarray(0, count)), explain: scorer.explain };
  };
}

for (const subject of subjects) {
  const { name } = subject;

  test(`${name} finds the planted structure`, (t) => {
    const { items } = scorerFor(subject, plantedWorld())([0, 1]);
    t.true(subject.isPlanted(items));
  });

  test(`${name} gives the same bytes for the same input`, (t) => {
    t.deepEqual(Buffer.from(publish(subject, plantedWorld())), Buffer.from(publish(subject, plantedWorld())));
  });

  test(`${name} orders equal scores by index`, (t) => {
    const { items, scores } = scorerFor(subject, plantedWorld())([0, 3, 5]);
    for (let rank = 1; rank < items.length; rank++) {
      t.true(scores[rank - 1] > scores[rank] || items[rank - 1] < items[rank]);
    }
  });

  test(`${name} explains each score as the sum of its parts`, (t) => {
    const { items, scores, explain } = scorerFor(subject, plantedWorld())([0, 3, 5, 11]);
    items.forEach((item, rank) => {
      const explanation = explain(item)!;
      const sum = explanation.parts.reduce((total, part) => total + part.score, 0);
      t.is(explanation.score, scores[rank]);
      t.true(Math.abs(sum - scores[rank]) < 1e-6);
    });
    t.true(scores[0] > 0);
  });

  test(`${name} gives numbers when nothing is left of the interests it knows`, (t) => {
    const score = scorerFor(subject, plantedWorld());
    const { items, scores, explain } = score([-1, 0], 100, 100 * 365 * 86_400);
    t.true(scores.every(Number.isFinite));
    t.true(explain(items[0])!.parts.every((part) => Number.isFinite(part.score)));
  });

  test(`${name} does nothing without items`, (t) => {
    const score = scorerFor(subject, worldOf([], []));
    t.deepEqual(score([]).items, []);
  });

  test(`${name} copes with one item and one event`, (t) => {
    const event = { subjectKey: 's', itemId: 'item-0', eventType: 'purchase', timeSeconds: NOW_SECONDS };
    const score = scorerFor(subject, worldOf([{ title: 'alone' }], [event]));
    t.deepEqual(score([0]).items, [0]);
    t.true(Number.isFinite(score([0]).scores[0]));
  });

  test(`${name} copes with items that nothing is known about`, (t) => {
    const { items, scores } = scorerFor(subject, worldOf([{}, {}, {}], []))([1]);
    t.deepEqual(items, [0, 1, 2]);
    t.deepEqual(scores, [0, 0, 0]);
  });

  test(`${name} follows a catalogue that moved, lost items and gained others`, (t) => {
    const world = plantedWorld();
    const before = scorerFor(subject, world)([1]);
    // Every item moves up by one; local 2 is gone and its place is a new item's.
    const mapping = {
      localOf: Int32Array.from({ length: world.itemCount + 1 }, (_, at) =>
        at === 0 || at === 3 ? -1 : at - 1,
      ),
      itemIndexOf: Int32Array.from({ length: world.itemCount }, (_, local) => (local === 2 ? -1 : local + 1)),
    };
    const after = scorerFor(subject, world, mapping)([2]);
    const scoreAfter = new Map(after.items.map((item, rank) => [item, after.scores[rank]]));
    before.items.forEach((item, rank) => {
      if (item !== 2) t.is(scoreAfter.get(item + 1), before.scores[rank]);
    });
    t.is(scoreAfter.get(3), 0);
    t.is(scoreAfter.get(0), 0);
  });

  test(`${name} refuses a damaged artefact`, (t) => {
    const buffer = publish(subject, plantedWorld());
    for (const place of [0, 5, 9, 13, 40, buffer.byteLength >> 1, buffer.byteLength - 9]) {
      const damaged = new Uint8Array(new Uint8Array(buffer)).buffer;
      new Uint8Array(damaged)[place] ^= 0x10;
      t.false(unpackModels(damaged).ok, `byte ${place}`);
    }
    t.false(unpackModels(buffer.slice(0, buffer.byteLength - 8)).ok);
    t.false(unpackModels(new ArrayBuffer(3)).ok);
  });
}
