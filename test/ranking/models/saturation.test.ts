/** What people turn away from once they bought it, learnt from the visits after purchases. */

import test from 'ava';
import type { InteractionEvent } from '../../../src/ranking/models/interactions.ts';
import { createQuery, fillQuery } from '../../../src/ranking/models/query.ts';
import { saturation } from '../../../src/ranking/models/saturation.ts';
import { identityMapping, nowSeconds, view, worldOf } from './world.ts';

const day = 86_400;
const [washer, coffee, lamp] = [0, 3, 6];
const categories = {
  keys: ['washers', 'coffee', 'lamps'],
  ofItem: Int32Array.from({ length: 9 }, (_, item) => Math.floor(item / 3)),
};

/**
 * Forty people look at all kinds every other day, for forty days. On the twentieth half of them buy a washing machine and
 * coffee; they go on with coffee and lamps alone.
 */
const { interactions } = worldOf(
  Array(9).fill({}),
  Array.from({ length: 40 }, (_, subject) => {
    const isBuyer = subject % 2 === 0;
    return Array.from({ length: 20 }, (_, visit): InteractionEvent[] => {
      const at = nowSeconds - (40 - 2 * visit) * day + subject;
      const isSated = isBuyer && visit > 10;
      const viewed = [...(isSated ? [] : [washer]), coffee, lamp].map((kind) =>
        view(`s${subject}`, kind + (visit % 3), at),
      );
      const bought = isBuyer && visit === 10 ? [washer, coffee] : [];
      return [
        ...viewed,
        ...bought.map((item) => ({ ...view(`s${subject}`, item, at + 60), eventType: 'purchase' })),
      ];
    }).flat();
  }).flat(),
);

const model = saturation.serve(saturation.train({ interactions, categories }, {}), identityMapping(9));

type Person = {
  bought: number;
  daysAgo: number;
  viewed?: number;
  viewedDaysAgo?: number;
  contextItem?: number;
};

/** The score of another item of the kind that was bought. */
function scoreFor({ bought, daysAgo, viewed, viewedDaysAgo = 0, contextItem }: Person): number {
  const query = createQuery();
  const rhythm = { visits: 1, since: 1, spanSeconds: 0, idleSeconds: viewedDaysAgo * day };
  const recents = viewed === undefined ? [] : [{ itemIndex: viewed, ageSeconds: 0, weight: 1, rhythm }];
  const purchases = [{ itemIndex: bought, ageSeconds: daysAgo * day }];
  fillQuery(query, { recents, contextItem, bought: purchases }, identityMapping(9));
  return model.explain(query, 1, bought + 1).reduce((sum, { score }) => sum + score, 0);
}

const people: [who: string, person: Person, least: number, most: number][] = [
  ['bought a washing machine', { bought: washer, daysAgo: 3 }, -1, -0.8],
  ['bought it long ago', { bought: washer, daysAgo: 400 }, -1, -0.5],
  ['bought coffee', { bought: coffee, daysAgo: 3 }, -0.05, 0],
  ['looked at lamps since', { bought: washer, daysAgo: 3, viewed: lamp, viewedDaysAgo: 1 }, -1, -0.8],
  ['looks for a second one', { bought: washer, daysAgo: 3, viewed: washer + 2, viewedDaysAgo: 1 }, 0, 0],
  ['looked at others before', { bought: washer, daysAgo: 3, viewed: washer + 2, viewedDaysAgo: 4 }, -1, -0.8],
  ['is on the page of one', { bought: washer, daysAgo: 3, contextItem: washer + 2 }, 0, 0],
];

for (const [who, person, least, most] of people) {
  test(`the kind is lowered by what followed purchases, for one who ${who}`, (t) => {
    const score = scoreFor(person);
    t.true(least <= score && score <= most, `${score}`);
  });
}
