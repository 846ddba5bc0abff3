/**
 * `node test/quality/baskets.ts [--data FOLDER] [--json]`: compares a page that completes baskets with the
 * lists of other pages and with the most bought items.
 *
 * In the last fifth of the orders, each item of a basket is left out once and predicted: all items are ranked except those in the
 * basket. FOLDER has the Complete Journey; generated shops need no data.
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { traitsOf } from '../../src/jobs/evaluation/item-traits.ts';
import { createTally } from '../../src/jobs/evaluation/metrics.ts';
import { createRanker } from '../../src/jobs/evaluation/rank.ts';
import { type BlendWeights, createBlend, type SeedProfiles } from '../../src/ranking/models/blend.ts';
import { sameOrder } from '../../src/ranking/models/learning/train-blended.ts';
import { servePortfolio, trainPortfolio } from '../../src/ranking/models/portfolio.ts';
import { basketProfile, basketWeights } from '../../src/ranking/models/purposes.ts';
import { generatedShops } from './baskets/generated-shops.ts';
import { readJourney } from './baskets/journey.ts';
import { type Basket, type BasketWorld, buildWorld } from './baskets/world.ts';

const { values } = parseArgs({
  options: { data: { type: 'string' }, json: { type: 'boolean', default: false } },
});

/** The last of the orders, by time. */
const testShare = 0.2;

type Pages = Record<string, { weights?: BlendWeights; profiles?: SeedProfiles }>;

const pages: Pages = {
  'complete the basket': {
    weights: basketWeights,
    profiles: Object.fromEntries(Object.keys(basketWeights).map((name) => [name, basketProfile])),
  },
  'any other page': {},
  'most bought': { weights: { baskets: 1 } },
};

function judge({ interactions, features, questions }: BasketWorld) {
  const mapping = sameOrder(interactions.itemCount);
  const nowSeconds = interactions.timeSeconds.reduce((latest, time) => Math.max(latest, time), 0);
  const models = servePortfolio(trainPortfolio({ interactions, features, nowSeconds }), mapping);
  return Object.entries(pages).map(([page, { weights, profiles }]) => {
    const ranker = createRanker(createBlend({ mapping, models, weights, profiles }), { maxRecents: 50 });
    const tally = createTally(traitsOf(interactions, features));
    for (const { basket, others, leftOut } of questions) {
      const isSeen = page !== 'most bought';
      const recents = others.map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 }));
      const question = { subject: basket, event: 0, answers: Int32Array.of(leftOut) };
      const admits = (item: number) => !others.includes(item);
      const list = ranker.rank({ question, recents: isSeen ? recents : [], admits });
      tally.add(basket, list, question.answers);
    }
    const { hitrate, ndcg, mrr, questionCount } = tally.finish();
    return { page, questionCount, hitrate, ndcg, mrr };
  });
}

async function* shops(): AsyncGenerator<[name: string, baskets: Basket[]]> {
  if (values.data !== undefined)
    yield ['complete-journey', await readJourney(join(values.data, 'complete-journey'))];
  yield* Object.entries(generatedShops());
}

for await (const [shop, baskets] of shops()) {
  for (const { page, questionCount, ...measures } of judge(buildWorld(baskets, testShare))) {
    const figures = Object.entries(measures).map(([name, { mean, margin }]) => [name, mean, margin] as const);
    if (values.json) console.log(JSON.stringify({ shop, page, questionCount, ...measures }));
    else
      console.log(
        `${shop}, ${page}, ${questionCount} questions:`,
        figures.map(([name, mean, margin]) => `${name} ${mean.toFixed(4)} ±${margin.toFixed(4)}`).join(', '),
      );
  }
}
