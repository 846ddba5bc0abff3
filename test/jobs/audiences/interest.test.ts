/** Which items speak for a promotion: the models read backwards, new items by content, what is used up. */

import test from 'ava';
import { createAudienceIndex } from '../../../src/jobs/audiences/audience-index.ts';
import { findInterest, type Promoted } from '../../../src/jobs/audiences/interest.ts';
import { createItemModels, type ItemModels } from '../../../src/jobs/audiences/item-models.ts';
import { createKinds } from '../../../src/jobs/audiences/kinds.ts';
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
  const { people } = rank(index, interest, new Uint8Array(index.people.count));
  return Array.from(people, (person) => index.people.at(person).id);
}

const promote = (itemId: string, rest: Partial<Promoted> = {}): Promoted => ({ itemType, itemId, ...rest });
const purchaseConsumes = Uint8Array.from(createKinds().names, (name) => Number(name === 'purchase'));

test('who met what leads to the promoted item comes before who met anything else', (t) => {
  const log: Did[] = [
    ['sitter', 'chair'],
    ['drinker', 'coffee'],
  ];
  t.deepEqual(order(log, [promote('tea')]), ['drinker', 'sitter']);
});

test('an item that the models do not know is placed by its content', (t) => {
  const log: Did[] = [
    ['drinker', 'coffee'],
    ['sitter', 'chair'],
  ];
  const features = featuresOf({ categories: ['home'] });
  t.deepEqual(order(log, [promote('sofa', { features })]), ['sitter', 'drinker']);
});

test('the average person scores 1, on however many devices', (t) => {
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
  const { scores } = rank(index, interest, new Uint8Array(index.people.count));
  const average = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  t.true(Math.abs(average - 1) < 1e-6, `${average}`);
});

test('what was done lately counts more', (t) => {
  const log: Did[] = [
    ['once', 'tea', 'detail_pageview', 300],
    ['now', 'tea'],
  ];
  t.deepEqual(order(log, [promote('tea')]), ['now', 'once']);
});

test('a purchase says more than a view, but not of what it uses up', (t) => {
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

test('event types weigh as the environment says, others than the usual ones too', (t) => {
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

test('without models the active and the interested are found all the same', (t) => {
  const log: Did[] = [
    ['idle', 'chair'],
    ['active', 'chair'],
    ['active', 'lamp'],
    ['fan', 'tea'],
    ['fan', 'tea'],
  ];
  t.deepEqual(order(log, [promote('tea')], undefined), ['fan', 'active', 'idle']);
});

test('one promoted item more does not change who is not concerned', (t) => {
  const log: Did[] = [
    ['drinker', 'coffee'],
    ['sitter', 'chair'],
  ];
  t.deepEqual(order(log, [promote('tea'), promote('nothing anybody met')]), ['drinker', 'sitter']);
});
