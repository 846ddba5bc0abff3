/** Requests share scratch memory without leaking data to the next request. */

import test from 'ava';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import { featuresOf } from '../../../src/ranking/models/features.ts';
import type { InteractionEvent } from '../../../src/ranking/models/interactions.ts';
import { createNewItems } from '../../../src/ranking/models/new-items.ts';
import { servePortfolio, trainPortfolio } from '../../../src/ranking/models/portfolio.ts';
import type { QueryInput } from '../../../src/ranking/models/query.ts';
import { modelEntries, trainedEntries } from '../../../src/ranking/models/registry.ts';
import { findVectorNeighbours } from '../../../src/ranking/models/vectors.ts';
import { fc } from '../../support/properties.ts';
import { nowSeconds, shown, themesOf, view, worldOf } from './world.ts';

/** Large enough that a request has few sums and clears only these. */
const knownCount = 3_000;
const metCount = 40;
const newCount = 5;
const itemCount = knownCount + newCount;

const contentOf = (item: number) => ({ title: `theme${item % 500} item${item}` });

const world = worldOf(
  Array.from({ length: knownCount }, (_, item) => contentOf(item)),
  Array.from({ length: 30 }, (_, subject): InteractionEvent[] => {
    const metAt = (step: number) => (subject * 7 + step * step) % metCount;
    const atSeconds = nowSeconds - 1_000 * subject;
    return [
      shown(`s${subject}`, metAt(8), atSeconds - 9),
      ...Array.from({ length: 8 }, (_, step) => view(`s${subject}`, metAt(step), atSeconds + step)),
    ];
  }).flat(),
);

const vectors = {
  items: Int32Array.from({ length: knownCount }, (_, known) => known),
  numbers: Int8Array.from({ length: knownCount * 16 }, (_, at) => ((at * 7919) % 255) - 127),
  factors: new Float32Array(knownCount).fill(0.01),
};

const { subjectOffsets, item } = world.interactions;
const tables = trainPortfolio({
  interactions: { ...world.interactions, orders: { offsets: subjectOffsets, item } },
  features: world.matrix,
  vectorNeighbours: findVectorNeighbours([vectors], knownCount),
  nowSeconds,
  reconsumable: new Uint8Array(knownCount).fill(1),
  categories: themesOf(knownCount),
  settings: { ials: { dimensions: 4 } },
});

/** New items come first in the catalogue, so that positions differ from local indexes. */
const mapping = {
  localOf: Int32Array.from({ length: itemCount }, (_, index) => Math.max(-1, index - newCount)),
  itemIndexOf: Int32Array.from({ length: knownCount }, (_, local) => local + newCount),
};

/** The state of a thread: models with their scratch memory, and a scorer. */
function createThread() {
  const newItems = createNewItems({ tables: tables.contentSimilarity!, mapping });
  for (let index = 0; index < newCount; index++) newItems.set(index, featuresOf(contentOf(index)));
  const models = [...servePortfolio(tables, mapping), newItems.model];
  const weights = Object.fromEntries(modelEntries.map(({ name }) => [name, 1]));
  const blend = createBlend({ mapping, models, weights });
  const scorer = createScorer({ itemCount: 0 });
  return (request: QueryInput) => {
    const count = scorer.score(blend, { ...request, limit: 300 });
    return {
      items: [...scorer.items.subarray(0, count)],
      scores: [...scorer.scores.subarray(0, count)],
      reasons: Array.from(scorer.items.subarray(0, Math.min(count, 3)), scorer.explain),
      elsewhere: [0, 1_000, itemCount - 1].map(scorer.scoreAt),
    };
  };
}

const itemArbitrary = fc.oneof(
  fc.integer({ min: 0, max: newCount + metCount }),
  fc.integer({ min: itemCount - 3, max: itemCount - 1 }),
);
const requestArbitrary = fc.record(
  {
    recents: fc.array(
      fc.record({
        itemIndex: itemArbitrary,
        ageSeconds: fc.integer({ min: 0, max: 1_000_000 }),
        weight: fc.constantFrom(0.5, 1, 3),
        contacts: fc.integer({ min: 1, max: 5 }),
        rhythm: fc.constantFrom(undefined, { visits: 2, since: 5, spanSeconds: 900, idleSeconds: 700 }),
      }),
      { maxLength: 6 },
    ),
    contextItem: itemArbitrary,
    segments: fc.constant([0]),
    ignored: fc.array(fc.record({ itemIndex: itemArbitrary, times: fc.constantFrom(1, 5) }), {
      maxLength: 4,
    }),
  },
  { requiredKeys: ['recents'] },
);

test('earlier requests do not change the answers of a thread', (t) => {
  const missing = trainedEntries.filter(([key]) => tables[key] === undefined);
  t.deepEqual(missing, []);
  const used = createThread();
  fc.assert(
    fc.property(requestArbitrary, (request) => t.deepEqual(used(request), createThread()(request))),
    { numRuns: 60 },
  );
});
