/**
 * `npm run benchmark:audiences -- --data FOLDER [--redeemers N] [--json]`: predicts the redeemers of a campaign.
 *
 * For each campaign of the complete-journey data with at least N [20] redeemers, households are ranked by interest in the
 * coupons' products from purchases before the campaign began, by the code that ranks audiences in the service, and by two
 * baselines. Nothing is fitted to redemptions. Ends with 1 when a baseline is better on average. See docs/audiences.md.
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAudienceIndex } from '../../src/jobs/audiences/audience-index.ts';
import { findInterest } from '../../src/jobs/audiences/interest.ts';
import { createItemModels } from '../../src/jobs/audiences/item-models.ts';
import { rank } from '../../src/jobs/audiences/rank.ts';
import { createStringTable } from '../../src/ranking/models/arrays/string-table.ts';
import { coVisits } from '../../src/ranking/models/co-visits.ts';
import { type ContentTables, contentSimilarity } from '../../src/ranking/models/content-similarity.ts';
import { createFeatureMatrixBuilder } from '../../src/ranking/models/features.ts';
import { createInteractionsBuilder } from '../../src/ranking/models/interactions.ts';
import { createItemKeys, type ItemKeys } from '../../src/ranking/models/item-keys.ts';
import { type Campaign, type Journey, type Purchase, readJourney } from './audiences/journey.ts';
import { type Measures, mean, measure } from './audiences/measures.ts';

const itemType = 'product';
const daySeconds = 86_400;
const halfLifeDays = 90;

type Scores = ReadonlyMap<string, number>;
type Method = 'audience' | 'frequent shoppers' | 'past buyers';
type Population = 'all households' | 'mailed households';
type Row = { campaign: string; type: string; products: number; redeemers: number; measures: Figures };
type Figures = Record<Population, Record<Method, Measures>>;

const methods: Method[] = ['audience', 'frequent shoppers', 'past buyers'];
const populations: Population[] = ['all households', 'mailed households'];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      redeemers: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.data === undefined) throw new Error('Name the folder of the data sets with --data.');
  const journey = await readJourney(join(values.data, 'complete-journey'));
  const catalogue = readCatalogue(journey);
  const households = new Set(journey.purchases.map(({ household }) => household));
  for (const { mailed } of journey.campaigns) for (const household of mailed) households.add(household);
  const rows: Row[] = [];
  for (const campaign of journey.campaigns) {
    const before = journey.purchases.filter(({ atSeconds }) => atSeconds < campaign.startSeconds);
    if (campaign.redeemers.size < Number(values.redeemers) || before.length === 0) continue;
    rows.push(measureCampaign(campaign, before, { catalogue, households }));
  }
  if (rows.length === 0) throw new Error('No campaign has so many redeemers and purchases before it.');
  const means = averageOf(rows);
  const isBetter = populations.every((population) =>
    methods.every((method) => means[population].audience.auc >= means[population][method].auc),
  );
  if (values.json) console.log(JSON.stringify({ halfLifeDays, rows, means, isBetter }));
  else print(rows, means);
  if (!isBetter) process.exitCode = 1;
}

type Catalogue = { keys: ItemKeys; content: ContentTables };

function readCatalogue({ features }: Journey): Catalogue {
  const keys = createItemKeys();
  const builder = createFeatureMatrixBuilder();
  for (const [product, own] of features) builder.add(keys.intern(itemType, product), own);
  return { keys, content: contentSimilarity.train(builder.finish(keys.keys.length), {}) };
}

function measureCampaign(
  campaign: Campaign,
  before: Purchase[],
  { catalogue, households }: { catalogue: Catalogue; households: Set<string> },
): Row {
  const { id, type, products, redeemers, mailed } = campaign;
  const scores: Record<Method, Scores> = {
    audience: scoreAudience(campaign, before, catalogue),
    'frequent shoppers': countBaskets(before),
    'past buyers': countPurchases(before, new Set(products)),
  };
  const within = (subjects: Set<string>) =>
    Object.fromEntries(methods.map((method) => [method, measure(scores[method], subjects, redeemers)]));
  const measures = {
    'all households': within(households),
    'mailed households': within(mailed),
  } as Figures;
  return { campaign: id, type, products: products.length, redeemers: redeemers.size, measures };
}

/** As the service does it, with models trained on what happened before. */
function scoreAudience(
  { products, startSeconds }: Campaign,
  before: Purchase[],
  { keys, content }: Catalogue,
): Scores {
  const interactions = createInteractionsBuilder({ itemKeys: keys });
  const index = createAudienceIndex({ integrationTypes: new Set() });
  for (const { household, product, atSeconds } of before) {
    const event = { eventType: 'purchase', itemType, itemId: product };
    interactions.add({ ...event, subjectKey: household, timeSeconds: atSeconds });
    index.add({ ...event, userId: household, atSeconds });
  }
  const models = createItemModels({
    itemKeys: createStringTable(keys.keys),
    contentSimilarity: content,
    coVisits: coVisits.train(interactions.finish(), {}),
  });
  const promotion = products.map((itemId) => ({ itemType, itemId }));
  const today = Math.floor(startSeconds / daySeconds);
  const interest = findInterest({ index, models, promotion, halfLifeDays, today });
  const ranking = rank(index, interest, new Uint8Array(index.subjects.count));
  return new Map(
    Array.from(ranking.subjects, (subject, place) => [index.subjects.at(subject).id, ranking.scores[place]]),
  );
}

function countBaskets(purchases: Purchase[]): Scores {
  const baskets = new Map<string, Set<string>>();
  for (const { household, basket } of purchases) {
    baskets.set(household, (baskets.get(household) ?? new Set()).add(basket));
  }
  return new Map(Array.from(baskets, ([household, own]) => [household, own.size]));
}

function countPurchases(purchases: Purchase[], products: ReadonlySet<string>): Scores {
  const counts = new Map<string, number>();
  for (const { household, product } of purchases) {
    if (products.has(product)) counts.set(household, (counts.get(household) ?? 0) + 1);
  }
  return counts;
}

function averageOf(rows: Row[]): Figures {
  const average = (population: Population, method: Method): Measures => ({
    auc: mean(rows.map(({ measures }) => measures[population][method].auc)),
    liftInTopDecile: mean(rows.map(({ measures }) => measures[population][method].liftInTopDecile)),
  });
  return Object.fromEntries(
    populations.map((population) => [
      population,
      Object.fromEntries(methods.map((method) => [method, average(population, method)])),
    ]),
  ) as Figures;
}

function print(rows: Row[], means: Figures): void {
  const show = (figures: Record<Method, Measures>) =>
    methods
      .map(
        (method) =>
          `${figures[method].auc.toFixed(3)} ${figures[method].liftInTopDecile.toFixed(2).padStart(5)}`,
      )
      .join('   | ');
  for (const population of populations) {
    console.log(`\n${population}: AUC and lift in the top decile of redeemers\n`);
    console.log(`${'campaign'.padEnd(32)}${methods.map((method) => method.padEnd(17)).join('')}`);
    for (const { campaign, type, products, redeemers, measures } of rows) {
      const name = `${campaign} (${type}, ${products} products, ${redeemers})`;
      console.log(`${name.padEnd(40)}${show(measures[population])}`);
    }
    console.log(`${'mean'.padEnd(40)}${show(means[population])}`);
  }
}

await main();
