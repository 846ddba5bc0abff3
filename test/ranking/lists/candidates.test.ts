import test from 'ava';
import { defaultFallbacks } from '../../../src/deployment/deployment.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createEmptyModels, type ServingModels } from '../../../src/ranking/environment/serving-models.ts';
import { createCandidates } from '../../../src/ranking/lists/candidates.ts';
import { add } from '../../../src/ranking/models/arrays/accumulator.ts';
import { createBlend } from '../../../src/ranking/models/blend.ts';
import type { Model } from '../../../src/ranking/models/model.ts';

const itemCount = 400;
const scoredCount = 300;

/** Scores the first items of the catalogue, best first. */
const model: Model = {
  name: 'planted',
  role: 'proposes',
  accumulate(_query, weight, accumulator) {
    for (let item = 0; item < scoredCount; item++) add(accumulator, item, weight / (item + 1));
  },
  explain: () => [],
};

function plantedModels(): ServingModels {
  const order = Int32Array.from({ length: itemCount }, (_, place) => itemCount - 1 - place);
  const asKnown = Int32Array.from(order.keys());
  const mapping = { localOf: asKnown, itemIndexOf: asKnown };
  const blend = createBlend({ mapping, models: [model], weights: { planted: 1 } });
  return {
    ...createEmptyModels(),
    mapping,
    blendFor: () => blend,
    fallbackOrder: order,
    fallbackPlaces: order.slice().reverse(),
    mappedCount: itemCount,
  };
}

test('scored items that were not read yet follow those that were, by score, before all others', (t) => {
  const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
  for (let item = 0; item < itemCount; item++)
    catalog.apply({ itemType: 'product', itemId: `${item}`, document: {}, enabled: true, revision: 1 });
  const candidates = createCandidates();
  candidates.begin({
    models: plantedModels(),
    catalog,
    weighting: { version: 'default' },
    impersonal: false,
    fallbacks: defaultFallbacks.steps,
    fallbackSegments: [],
    recents: [],
    nowMs: 0,
  });
  const stream = candidates.stream(
    { listSize: 20, halfLives: { ofList: undefined, byType: new Map() } },
    (itemIndex) => itemIndex,
  );
  t.true(stream.more!());
  const readCount = stream.count;
  t.true(readCount < scoredCount);
  t.deepEqual(
    [...Array(readCount).keys()],
    Array.from({ length: readCount }, (_, at) => stream.items[at]),
  );
  const places = Array.from({ length: itemCount - readCount }, (_, at) => stream.positionOf!(readCount + at));
  const scored = places.slice(0, scoredCount - readCount);
  const others = places.slice(scoredCount - readCount);
  t.true(scored.every((place, at) => place >= (at === 0 ? readCount : scored[at - 1])));
  t.true(Math.min(...others) > scored.at(-1)!);
});
