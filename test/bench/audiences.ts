/**
 * `node test/bench/audiences.ts [--users N] [--events N] [--items N]`: what an audience costs by the number of users.
 *
 * A synthetic environment [1,000,000 users × 20 events, 50,000 items of Zipf popularity]: time and memory of the index, and of
 * ranking everybody for one, ten and a thousand promoted items. The reference is one pass over as many numbers in the same run.
 */

import { parseArgs } from 'node:util';
import { createAudienceIndex } from '../../src/jobs/audiences/audience-index.ts';
import { findExclusions, joinExclusions } from '../../src/jobs/audiences/exclusions.ts';
import { take } from '../../src/jobs/audiences/hold-out.ts';
import { findInterest } from '../../src/jobs/audiences/interest.ts';
import { createItemModels } from '../../src/jobs/audiences/item-models.ts';
import { rank } from '../../src/jobs/audiences/rank.ts';
import { createStringTable } from '../../src/ranking/models/arrays/string-table.ts';
import { contentSimilarity } from '../../src/ranking/models/content-similarity.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../src/ranking/models/features.ts';
import { itemKey } from '../../src/ranking/models/item-keys.ts';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '20' },
    items: { type: 'string', default: '50000' },
  },
});
const [userCount, eventsPerUser, itemCount] = [values.users, values.events, values.items].map(Number);
const neighbourCount = 100;
const today = 20_000;
const itemType = 'product';
const idOf = (item: number) => `item-${item}`;

let state = 1;
/** 0 to below 1 (Park and Miller). */
const draw = (): number => {
  state = (state * 48_271) % 0x7fffffff;
  return state / 0x7fffffff;
};
/** Few items have most of the events. */
const drawItem = (): number => Math.floor(itemCount ** draw() - 1);

function timed<Result>(what: string, run: () => Result): Result {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  const [wallMs, cpuMs] = [performance.now() - startedAt, (user + system) / 1000].map(Math.round);
  console.log(`${what.padEnd(44)}${String(wallMs).padStart(8)} ms, ${String(cpuMs).padStart(7)} ms of CPU`);
  return result;
}

const megabytes = () => {
  const { rss } = process.memoryUsage();
  return `${Math.round(rss / 2 ** 20)} MB`;
};

console.log(`${userCount} users × ${eventsPerUser} events, ${itemCount} items; at first ${megabytes()}`);
const index = createAudienceIndex({ integrationTypes: new Set() });
timed('read the events into the index', () => {
  for (let event = 0; event < userCount * eventsPerUser; event++) {
    index.add({
      eventType: draw() < 0.1 ? 'purchase' : 'detail_pageview',
      userId: `user-${Math.floor(draw() * userCount)}`,
      itemType,
      itemId: idOf(drawItem()),
      atSeconds: (today - Math.floor(draw() * 365)) * 86_400,
    });
  }
});
console.log(`index of ${index.subjects.count} subjects: ${megabytes()}`);

const features = createFeatureMatrixBuilder();
for (let item = 0; item < itemCount; item++) {
  const categories = [[`department ${item % 20}`, `aisle ${item % 400}`]];
  features.add(item, featuresOf({ title: `thing ${item % 5000}`, categories }));
}
const models = createItemModels({
  itemKeys: createStringTable(Array.from({ length: itemCount }, (_, item) => itemKey(itemType, idOf(item)))),
  contentSimilarity: contentSimilarity.train(features.finish(itemCount), {
    postingBudget: 10,
    neighbourCount: 1,
  }),
  coVisits: {
    offsets: Int32Array.from({ length: itemCount + 1 }, (_, item) => item * neighbourCount),
    items: Int32Array.from({ length: itemCount * neighbourCount }, drawItem),
    scores: Float32Array.from({ length: itemCount * neighbourCount }, draw),
  },
});

for (const promotedCount of [1, 10, 1_000]) {
  const promotion = Array.from({ length: promotedCount }, () => ({ itemType, itemId: idOf(drawItem()) }));
  timed(`audience of 100,000 for ${promotedCount} promoted items`, () => {
    const targeting = {
      environment: 'shop',
      promotion,
      integrationType: 'email',
      suppression: { bought: true, mailedSinceSeconds: (today - 7) * 86_400, mailings: [] },
      restrictions: [],
      today,
      halfLifeDays: 90,
    };
    const interest = findInterest({ ...targeting, index, models, promotion });
    const excluded = joinExclusions(findExclusions(index, targeting), index.subjects.count);
    const holdOut = { share: 0.1, salt: 'shop', audienceName: 'spring' };
    return take(rank(index, interest, excluded), index.subjects, 100_000, holdOut);
  });
}
const numbers = new Float32Array(userCount * eventsPerUser).fill(1);
timed('reference: one pass over as many numbers', () => numbers.reduce((sum, number) => sum + number, 0));
console.log(`in the end ${megabytes()}`);
