/** Items that are due again, by the rhythm of the subject and of what is bought again in the log. */

import test from 'ava';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import type { InteractionEvent } from '../../../src/ranking/models/interactions.ts';
import { rhythm } from '../../../src/ranking/models/rhythm.ts';
import { createRhythms, metNow, type Rhythm } from '../../../src/ranking/models/visits.ts';
import { identityMapping, nowSeconds, view, worldOf } from './world.ts';

const hour = 3_600;
const day = 24 * hour;

/** Contacts with one item among those with others: hours ago, newest first. */
const contacts: [name: string, ago: number[], others: number[], rhythm: Rhythm | undefined][] = [
  ['never', [], [1], undefined],
  ['just now', [0.1, 48], [], metNow],
  ['once', [24], [], { visits: 1, since: 1, spanSeconds: 0, idleSeconds: day }],
  ['twice in a visit', [24, 24.2], [], { visits: 1, since: 1, spanSeconds: 0.2 * hour, idleSeconds: day }],
  ['before a visit to others', [24], [1], { visits: 1, since: 2, spanSeconds: 0, idleSeconds: day }],
  [
    'every other visit',
    [48, 96],
    [24, 72],
    { visits: 2, since: 4, spanSeconds: 2 * day, idleSeconds: 2 * day },
  ],
];

for (const [name, ago, others, expected] of contacts) {
  test(`the rhythm of an item that was met ${name}`, (t) => {
    const rhythmAt = createRhythms(nowSeconds);
    let own: Rhythm | undefined;
    for (const hours of [...ago, ...others].sort((a, b) => a - b)) {
      const known = rhythmAt(nowSeconds - hours * hour, 1, ago.includes(hours) ? own : undefined);
      if (ago.includes(hours)) own = known;
    }
    t.deepEqual(own && { ...own, spanSeconds: Math.round(own.spanSeconds) }, expected);
  });
}

const [coffee, soap, sofa, lamp] = [0, 1, 2, 3];

/** For twelve weeks everybody buys coffee each week and soap each fourth, and looks at furniture the days between. */
const world = worldOf(
  Array(4).fill({}),
  Array.from({ length: 40 }, (_, subject) => {
    const start = nowSeconds - 84 * day + subject * hour;
    return Array.from({ length: 84 }, (_, today): InteractionEvent[] => {
      const items = [
        ...(today % 7 === 0 ? [coffee] : []),
        ...(today % 28 === 0 ? [soap] : []),
        ...(today % 7 === 3 ? [sofa, lamp] : []),
      ];
      return items.map((item) => view(`s${subject}`, item, start + today * day));
    }).flat();
  }).flat(),
);

/** Of one who bought coffee and soap often, and looked at the sofa yesterday. */
function scoresAfter(coffeeDays: number, soapDays: number, contextItem?: number): number[] {
  const mapping = identityMapping(4);
  const input = { interactions: world.interactions, reconsumable: Uint8Array.of(1, 1, 0, 0) };
  const models = [rhythm.serve(rhythm.train(input, {}), mapping)];
  const scorer = createScorer({ itemCount: 4 });
  const recent = (itemIndex: number, days: number, every: number, since: number) => ({
    ...{ itemIndex, ageSeconds: (days - 1) * day, weight: 5, contacts: 5 },
    rhythm: { visits: 5, since, spanSeconds: 4 * every * day, idleSeconds: days * day },
  });
  const recents = [recent(sofa, 1, 7, 10), recent(coffee, coffeeDays, 7, 10), recent(soap, soapDays, 28, 35)];
  const blend = createBlend({ mapping, models, weights: { rhythm: 1 } });
  scorer.score(blend, { recents, contextItem, limit: 4 });
  return [coffee, soap, sofa, lamp].map(scorer.scoreAt);
}

test('an item is due when its usual interval has passed, and furniture never is', (t) => {
  const [thisWeek, ...others] = scoresAfter(7, 7);
  t.true(thisWeek > 0.5, 'coffee that was bought a week ago');
  t.true(others[0] < 0.1, 'soap that was bought a week ago');
  t.deepEqual(others.slice(1), [0, 0]);
  const [coffeeEarly, soapLate] = scoresAfter(3, 28);
  t.true(coffeeEarly < 0.2 && soapLate > 0.5, `${coffeeEarly} ${soapLate}`);
  t.deepEqual(scoresAfter(7, 28, lamp), [0, 0, 0, 0], 'a page about an item shows others');
});
