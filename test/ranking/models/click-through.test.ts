/**
 * Items with impressions and no clicks, compared with clicked items and items without impressions.
 */

import test from 'ava';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import { clickThrough } from '../../../src/ranking/models/click-through.ts';
import type { InteractionEvent, Interactions } from '../../../src/ranking/models/interactions.ts';
import { trainBlended } from '../../../src/ranking/models/learning/train-blended.ts';
import { servePortfolio } from '../../../src/ranking/models/portfolio.ts';
import { identityMapping, nowSeconds, shown, view, worldOf } from './world.ts';

const day = 86_400;
/** The visitor's interest, and three equally related items. */
const [seed, ignored, clicked, unseen] = [0, 1, 2, 3];
const itemCount = 40;

/**
 * All subjects view the seed and the three items. Later, `watchers` have impressions of two of them
 * and view one. As many others view the other two without impressions, so that all three have equal
 * views.
 */
function world(watchers: number, repeated = 1): Interactions {
  const events: InteractionEvent[] = [];
  for (let subject = 0; subject < 40; subject++) {
    const at = nowSeconds - 20 * day + subject;
    for (const item of [seed, ignored, clicked, unseen]) events.push(view(`s${subject}`, item, at));
    for (let step = 0; step < 3; step++) {
      events.push(view(`s${subject}`, 4 + ((subject * 3 + step) % (itemCount - 4)), at + step));
    }
  }
  for (let watcher = 0; watcher < watchers; watcher++) {
    const at = nowSeconds - 10 * day + watcher;
    for (let time = 0; time < repeated; time++) events.push(shown(`w${watcher}`, ignored, at + time));
    events.push(shown(`w${watcher}`, clicked, at), view(`w${watcher}`, clicked, at + 30));
    for (const item of [ignored, unseen]) events.push(view(`${item} ${watcher}`, item, at + 30));
  }
  return worldOf(Array(itemCount).fill({}), events).interactions;
}

function rank(interactions: Interactions): number[] {
  const { tables } = trainBlended({
    interactions,
    nowSeconds,
    asking: { per: 'event', excluded: 'last', horizon: 5 },
    learns: false,
  });
  const mapping = identityMapping(itemCount);
  const scorer = createScorer({ itemCount });
  const blend = createBlend({ mapping, models: servePortfolio(tables, mapping) });
  const count = scorer.score(blend, {
    recents: [{ itemIndex: seed, ageSeconds: 0, weight: 1 }],
    limit: itemCount,
  });
  const order = Array.from(scorer.items.subarray(0, count));
  return [ignored, clicked, unseen].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

test('ignored items rank below equal items with clicks or without impressions', (t) => {
  t.deepEqual(rank(world(50)), [clicked, unseen, ignored]);
});

test('without impressions the model is absent', (t) => {
  t.is(world(0).exposures, undefined);
});

test('impressions of one subject count at most three times', (t) => {
  const scoresOf = (repeated: number) => clickThrough.train(world(1, repeated), {}).scores[ignored];
  t.is(scoresOf(500), scoresOf(3));
  t.true(scoresOf(500) < 0 && scoresOf(500) > -0.2);
});

test('more subjects who ignore an item lower it more, up to the bound', (t) => {
  const scoreOf = (watchers: number) => clickThrough.train(world(watchers), {}).scores[ignored];
  t.true(scoreOf(20) < scoreOf(2));
  t.true(scoreOf(5000) >= -1);
});

test('without any reported clicks no item is lowered', (t) => {
  const events = Array.from({ length: 100 }, (_, person) => shown(`w${person}`, person % 3, nowSeconds));
  const { scores } = clickThrough.train(worldOf([{}, {}, {}], events).interactions, {});
  t.deepEqual(Array.from(scores), [0, 0, 0]);
});
