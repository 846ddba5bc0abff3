import test from 'ava';
import {
  createInteractionsBuilder,
  type InteractionEvent,
  maxSegmentValues,
  maxWeightPerItem,
} from '../../../src/ranking/models/interactions.ts';
import { createItemKeys } from '../../../src/ranking/models/item-keys.ts';
import { createSequences } from '../../../src/ranking/models/sequences.ts';

function build(events: Partial<InteractionEvent>[]) {
  const itemKeys = createItemKeys();
  for (const id of ['a', 'b', 'c']) itemKeys.intern('product', id);
  const builder = createInteractionsBuilder({ itemKeys });
  const taken = events.map((event) =>
    builder.add({ subjectKey: 's', itemId: 'a', eventType: 'detail_pageview', timeSeconds: 0, ...event }),
  );
  return { taken, interactions: builder.finish() };
}

const sequenceOf = (events: Partial<InteractionEvent>[], maxItemsPerSubject = 10) =>
  createSequences(build(events).interactions, maxItemsPerSubject);

test('events without evidence or without a known item are left out', (t) => {
  const { taken, interactions } = build([
    { itemType: 'product' },
    {},
    { itemType: 'article' },
    { itemId: 'unknown' },
    { eventType: 'impression' },
    { eventType: 'constructor' },
    { eventType: 'checkpoint', qualifier: '0' },
  ]);
  t.deepEqual(taken, [true, true, false, false, false, false, false]);
  t.is(interactions.item.length, 2);
});

test('events are sorted by subject and time', (t) => {
  const { interactions } = build([
    { subjectKey: 'x', itemId: 'b', timeSeconds: 9 },
    { subjectKey: 'y', itemId: 'c', timeSeconds: 5 },
    { subjectKey: 'x', itemId: 'a', timeSeconds: 3 },
  ]);
  t.deepEqual([...interactions.subjectOffsets], [0, 2, 3]);
  t.deepEqual([...interactions.item], [0, 1, 2]);
  t.deepEqual([...interactions.timeSeconds], [3, 9, 5]);
});

test('impressions are answered by later events, in any order of arrival', (t) => {
  const shown = { itemId: 'a', eventType: 'impression', timeSeconds: 100 };
  const answeredOf = (...events: Partial<InteractionEvent>[]) => [
    ...build(events).interactions.exposures!.answered,
  ];
  const before = { itemId: 'a', timeSeconds: 50 };
  const after = { itemId: 'a', timeSeconds: 150 };
  t.deepEqual([answeredOf(shown, after), answeredOf(after, shown)], [[1], [1]]);
  t.deepEqual([answeredOf(shown, before), answeredOf(before, shown)], [[0], [0]]);
});

test('the effect of one subject on an item is bounded, and its latest events count first', (t) => {
  const purchases = Array.from({ length: 5 }, (_, timeSeconds) => ({ eventType: 'purchase', timeSeconds }));
  const { interactions } = build([...purchases, { itemId: 'b', timeSeconds: 9 }]);
  t.deepEqual([...interactions.weight].map(Math.round), [0, 0, 0, 5, 5, 1]);
  t.true(interactions.weight.every((weight) => weight > 0));
  t.is(maxWeightPerItem, 10);
});

test('page types beyond the limit are ignored', (t) => {
  const events = Array.from({ length: maxSegmentValues + 2 }, (_, page) => ({
    pageType: `page-${page}`,
    timeSeconds: page,
  }));
  const { interactions } = build([...events, {}]);
  t.is(interactions.pageTypes.length, maxSegmentValues);
  t.deepEqual([...interactions.pageType.slice(-3)].sort(), [-1, -1, maxSegmentValues - 1].sort());
});

test('a sequence holds distinct items by last contact', (t) => {
  const sequences = sequenceOf([
    { itemId: 'a', timeSeconds: 1 },
    { itemId: 'b', timeSeconds: 2 },
    { itemId: 'a', timeSeconds: 3 },
  ]);
  t.deepEqual([...sequences.item], [1, 0]);
  t.deepEqual([...sequences.timeSeconds], [2, 3]);
  t.deepEqual([...sequences.strength], [1, 2]);
});

test('an item removed from the cart is not in the sequence', (t) => {
  const sequences = sequenceOf([
    { itemId: 'a', eventType: 'add_to_cart', timeSeconds: 1 },
    { itemId: 'b', timeSeconds: 2 },
    { itemId: 'a', eventType: 'remove_from_cart', timeSeconds: 3 },
  ]);
  t.deepEqual([...sequences.item], [1]);
});

test('a sequence keeps the last items of a long history', (t) => {
  const sequences = sequenceOf(
    ['a', 'b', 'c'].map((itemId, timeSeconds) => ({ itemId, timeSeconds })),
    2,
  );
  t.deepEqual([...sequences.item], [1, 2]);
});
