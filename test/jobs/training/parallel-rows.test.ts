import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { createRangeThreads } from '../../../src/jobs/training/parallel-rows.ts';
import { coVisits } from '../../../src/ranking/models/co-visits.ts';
import { contentSimilarity } from '../../../src/ranking/models/content-similarity.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../../src/ranking/models/features.ts';
import { createInteractionsBuilder } from '../../../src/ranking/models/interactions.ts';
import { createItemKeys } from '../../../src/ranking/models/item-keys.ts';
import { itemRidge } from '../../../src/ranking/models/item-ridge.ts';
import { findVectorNeighbours } from '../../../src/ranking/models/vectors.ts';

const itemCount = 5_000;

/** Subjects with events on neighbouring items, the same in every run. */
function createWorld() {
  const itemKeys = createItemKeys();
  const features = createFeatureMatrixBuilder();
  for (let item = 0; item < itemCount; item++) {
    const local = itemKeys.intern('item', String(item));
    features.add(local, featuresOf({ title: `word${item % 40} word${item % 7} word${item % 300}` }));
  }
  const builder = createInteractionsBuilder({ itemKeys });
  let state = 7;
  const draw = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let subject = 0; subject < 3_000; subject++) {
    const centre = draw(itemCount);
    for (let visit = 0; visit < 8; visit++) {
      const itemId = String((centre + draw(30)) % itemCount);
      const timeSeconds = 1e9 + visit * 60;
      builder.add({
        subjectKey: `s${subject}`,
        itemId,
        itemType: 'item',
        eventType: 'detail_pageview',
        timeSeconds,
      });
    }
  }
  return { interactions: builder.finish(), features: features.finish(itemCount) };
}

/** Compares tables of a million numbers as bytes; AVA's comparison would take most of the test. */
test('tables of several threads equal those of one thread byte for byte', async (t) => {
  const { interactions, features } = createWorld();
  const threads = createRangeThreads(2);
  t.teardown(threads.close);
  const { runRows } = threads;
  const walk = coVisits.train(interactions, {});
  t.true(walk.items.length > itemCount);
  t.true(isDeepStrictEqual(coVisits.train(interactions, { runRows }), walk));
  const ridge = itemRidge.train(interactions, { neighbourhoods: walk });
  t.true(isDeepStrictEqual(itemRidge.train(interactions, { neighbourhoods: walk, runRows }), ridge));
  const similar = contentSimilarity.train(features, {});
  t.true(isDeepStrictEqual(contentSimilarity.train(features, { runRows }), similar));
  const numbers = Int8Array.from({ length: itemCount * 16 }, (_, at) => ((at * 7919) % 255) - 127);
  const items = Int32Array.from({ length: itemCount }, (_, item) => item);
  const named = [{ items, numbers, factors: new Float32Array(itemCount).fill(0.01) }];
  const neighbours = findVectorNeighbours(named, itemCount);
  t.true(isDeepStrictEqual(findVectorNeighbours(named, itemCount, runRows), neighbours));
});

test('the training thread finishes the work of ended threads', async (t) => {
  const { interactions } = createWorld();
  const threads = createRangeThreads(1);
  await threads.close();
  const left = coVisits.train(interactions, { runRows: threads.runRows });
  t.true(isDeepStrictEqual(left, coVisits.train(interactions, {})));
});
