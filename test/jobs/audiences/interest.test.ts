/** Evidence for a promotion: reversed models, new items by content, consumed items. */

import test from 'ava';
import { createAudienceIndex } from '../../../src/jobs/audiences/audience-index.ts';
import { createKinds } from '../../../src/jobs/audiences/event-kinds.ts';
import { findInterest, type Promoted } from '../../../src/jobs/audiences/interest.ts';
import { createItemModels, type ItemModels } from '../../../src/jobs/audiences/item-models.ts';
import { rank } from '../../../src/jobs/audiences/rank.ts';
import { createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import { contentSimilarity } from '../../../src/ranking/models/content-similarity.ts';
import type { EventWeights } from '../../../src/ranking/models/event-weights.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../../src/ranking/models/features.ts';
import { itemKey } from '../../../src/ranking/models/item-keys.ts';

const today = 20_000;
const itemType = 'product';
const atSeconds = today * 86_400;
const categoryOf: Record<string, string> = { tea: 'drinks', coffee: 'drinks', chair: 'home', lamp: 'home' };
const items = Object.keys(categoryOf);

/** Coffee leads to tea; content by category. */
function createModels(): ItemModels {
  const features = createFeatureMatrixBuilder();
  for (const [local, item] of items.entries()) {
    features.add(local, featuresOf({ categories: [categoryOf[item]] }));
  }
  return createItemModels({
    itemKeys: createStringTable(items.map((item) => itemKey(itemType, item))),
    coVisits: {
      offsets: Int32Array.of(0, 0, 1, 1, 1),
      items: Int32Array.of(items.indexOf('tea')),
      scores: Float32Array.of(1),
    },
    contentSimilarity: contentSimilarity.train(features.finish(items.length), {}),
  });
}

type Did = [user: string, itemId: string, eventType?: string, daysAgo?: number];

function order(
  log: Did[],
  promotion: Promoted[],
  models: ItemModels | undefined = createModels(),
  eventWeights: EventWeights = {},
): string[] {
  const index = createAudienceIndex({ integrationTypes: new Set(), eventWeights });
  for (const [userId, itemId, eventType = 'detail_pageview', daysAgo = 0] of log) {
    index.add({ userId, itemId, itemType, eventType, atSeconds: atSeconds - daysAgo * 86_400 });
  }
  const interest = findInterest({ index, models, promotion, halfLifeDays: 90, today });
  const { subjects } = rank(index, interest, new Uint8Array(index.subjects.count));
  return Array.from(subjects, (subject) => index.subjects.at(subject).id);
}

const promote = (itemId: string, rest: Partial<Promoted> = {}): Promoted => ({ itemType, itemId, ...rest });
const purchaseConsumes = Uint8Array.from(createKinds().names, (name) => Number(name === 'purchase'));

test('events on items that lead to the promoted one rank a subject first', (t) => {
  const log: Did[] = [
    ['sitter', 'chair'],
    ['drinker', 'coffee'],
  ];
  t.deepEqual(order(log, [promote('tea')]), ['drinker', 'sitter']);
});

test('an item that the models lack is compared by its content', (t) => {
  const log: Did[] = [
    ['drinker', 'coffee'],
    ['sitter', 'chair'],
  ];
  const features = featuresOf({ categories: ['home'] });
  t.deepEqual(order(log, [promote('sofa', { features })]), ['sitter', 'drinker']);
});

test('the average subject scores 1, on however many devices', (t) => {
  const index = createAudienceIndex({ integrationTypes: new Set() });
  const visits = [
    ['anna', 'phone', 'tea'],
    ['anna', 'tablet', 'chair'],
    ['anna', 'laptop', 'tea'],
    ['ben', 'desktop', 'coffee'],
    [undefined, 'kiosk', 'lamp'],
  ] as const;
  for (const [userId, deviceId, itemId] of visits)
    index.add({ userId, deviceId, itemId, itemType, eventType: 'detail_pageview', atSeconds });
  const promotion = [promote('tea')];
  const interest = findInterest({ index, models: undefined, promotion, halfLifeDays: 90, today });
  const { scores } = rank(index, interest, new Uint8Array(index.subjects.count));
  const average = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  t.true(Math.abs(average - 1) < 1e-6, `${average}`);
});

test('recent events count more', (t) => {
  const log: Did[] = [
    ['once', 'tea', 'detail_pageview', 300],
    ['now', 'tea'],
  ];
  t.deepEqual(order(log, [promote('tea')]), ['now', 'once']);
});

test('a purchase counts more than a view, except of the item that it consumes', (t) => {
  const log: Did[] = [
    ['looker', 'lamp'],
    ['looker', 'chair', 'purchase'],
    ['buyer', 'lamp', 'purchase'],
    ['buyer', 'chair'],
  ];
  t.deepEqual(order(log, [promote('lamp')], undefined), ['buyer', 'looker']);
  const used = [promote('lamp', { consumedBy: purchaseConsumes })];
  t.deepEqual(order(log, used, undefined), ['looker', 'buyer']);
});

test('event types have the weights that the environment sets, also additional types', (t) => {
  const log: Did[] = [
    ['looker', 'lamp'],
    ['buyer', 'lamp', 'purchase'],
    ['opener', 'lamp', 'batch_open'],
  ];
  const promotion = [promote('lamp')];
  t.deepEqual(order(log, promotion, undefined), ['buyer', 'looker']);
  const weights = { detail_pageview: 3, purchase: 2, batch_open: 1 };
  t.deepEqual(order(log, promotion, undefined, weights), ['looker', 'buyer', 'opener']);
  t.deepEqual(order(log, promotion, undefined, { ...weights, detail_pageview: 0 }), ['buyer', 'opener']);
});

test('without models, subjects are ranked by own evidence and activity', (t) => {
  const log: Did[] = [
    ['idle', 'chair'],
    ['active', 'chair'],
    ['active', 'lamp'],
    ['fan', 'tea'],
    ['fan', 'tea'],
  ];
  t.deepEqual(order(log, [promote('tea')], undefined), ['fan', 'active', 'idle']);
});

test('a promoted item without events does not change the order', (t) => {
  const log: Did[] = [
    ['drinker', 'coffee'],
    ['sitter', 'chair'],
  ];
  t.deepEqual(order(log, [promote('tea'), promote('unseen')]), ['drinker', 'sitter']);
});
