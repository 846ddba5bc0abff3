/** Repeated consumption, by count and share of returning subjects. */

import test from 'ava';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import type { InteractionEvent } from '../../../src/ranking/models/interactions.ts';
import { chooseSettings } from '../../../src/ranking/models/learning/choose-settings.ts';
import { holdOut } from '../../../src/ranking/models/learning/held-out.ts';
import { sameOrder } from '../../../src/ranking/models/learning/train-blended.ts';
import { type RepeatsOptions, repeats } from '../../../src/ranking/models/repeats.ts';
import { identityMapping, nowSeconds, view, worldOf } from './world.ts';

const day = 86_400;
const itemCount = 12;

/** Six events of item 1, and a recent one of item 2, to which subjects return more often. */
function rank(options: RepeatsOptions): number[] {
  const events: InteractionEvent[] = Array.from({ length: 60 }, (_, subject) => {
    const at = nowSeconds - 50 * day + subject;
    const again = subject % 6 === 0 ? [view(`s${subject}`, 1, at + day)] : [];
    return [
      view(`s${subject}`, 1, at),
      view(`s${subject}`, 2, at),
      view(`s${subject}`, 2, at + day),
      ...again,
    ];
  }).flat();
  const { interactions } = worldOf(Array(itemCount).fill({}), events);
  const mapping = identityMapping(itemCount);
  const models = [repeats.serve(repeats.train(interactions, options), mapping)];
  const scorer = createScorer({ itemCount });
  const recents = [
    { itemIndex: 2, ageSeconds: 0, weight: 1, contacts: 1 },
    { itemIndex: 1, ageSeconds: day, weight: 6, contacts: 6 },
  ];
  const blend = createBlend({
    mapping,
    models,
    profiles: { repeats: { stepDecay: 1, halfLifeSeconds: 1e9, contextShare: 0.5, maxWeight: 1 } },
  });
  const count = scorer.score(blend, { recents, limit: itemCount });
  return Array.from(scorer.items.subarray(0, count));
}

test('either the count or the share of returning subjects may matter more', (t) => {
  t.deepEqual(rank({ frequencyPower: 1, returningPower: 0 }), [1, 2]);
  t.deepEqual(rank({ frequencyPower: 0.4, returningPower: 1 }), [2, 1]);
});

/**
 * Each subject has staples bought in proportion, and each day an item that is never bought twice.
 */
function staples(): InteractionEvent[] {
  return Array.from({ length: 40 }, (_, buyer) =>
    Array.from({ length: 30 }, (_, at) => {
      const staple = [0, 0, 0, 0, 1, 1, 2][(at * 3 + buyer) % 7];
      const moment = nowSeconds - (30 - at) * day + buyer;
      return [
        view(`s${buyer}`, (buyer * 3 + staple) % itemCount, moment),
        view(`s${buyer}`, itemCount + ((buyer * 30 + at) % 400), moment),
      ];
    }).flat(),
  ).flat();
}

test('both exponents are chosen on held-back events', (t) => {
  const { interactions } = worldOf(Array(itemCount + 400).fill({}), staples());
  const asking = { per: 'occasion', excluded: 'none', horizon: 20 } as const;
  const heldOut = holdOut(interactions, { asking, wantedQuestions: 100 });
  const mapping = sameOrder(interactions.itemCount);
  const settings = chooseSettings({ heldOut, mapping, excluded: 'none', maxRecents: 50 });
  t.true(settings.repeats!.frequencyPower! > 0 && settings.repeats!.returningPower! >= 0);
  t.deepEqual(settings, chooseSettings({ heldOut, mapping, excluded: 'none', maxRecents: 50 }));
});

test('repeats of items newer than the models are in a first list as in later ones', (t) => {
  const { interactions } = worldOf(Array(itemCount).fill({}), staples());
  const newest = itemCount + 400;
  const mapping = identityMapping(newest);
  const models = [repeats.serve(repeats.train(interactions, {}), mapping)];
  const blend = createBlend({ mapping, models });
  const recents = [newest, 1].map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 }));
  const scorer = createScorer({ itemCount: 0 });
  const rankAgain = () => Array.from(scorer.items.subarray(0, scorer.score(blend, { recents, limit: 10 })));
  t.deepEqual(rankAgain().toSorted(), [1, newest]);
  t.deepEqual(rankAgain().toSorted(), [1, newest]);
});
