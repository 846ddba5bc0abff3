import test from 'ava';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { createUnfoldedEvents, type Stretch } from '../../../src/repository/events/unfolded-events.ts';

const bucketCount = 2;

const view = (itemId: string): EventRow => ({
  environment: 'shop',
  eventType: 'detail_pageview',
  occurredAtMs: 1_000,
  deviceId: 'd',
  itemType: 'product',
  itemId,
  robot: false,
  details: {},
});

type Unfolded = ReturnType<typeof createUnfoldedEvents>;

/** Adds a group of events that were stored in a bucket from a number on. */
function add(unfolded: Unfolded, firstNumber: number, count: number, { bucket = 0, lane = 1 } = {}): void {
  const events = Array.from({ length: count }, (_, i) => view(`i${firstNumber + i}`));
  unfolded.add({ bucket, lane, firstNumber, receivedAtMs: 5, events });
}

const shapeOf = ({ lane, from, until, count }: Stretch) => ({ lane, from, until, count });
const shapes = (unfolded: Unfolded, bucket = 0) => unfolded.take(bucket).map(shapeOf);

test('groups that follow one another make one stretch, until it is taken', (t) => {
  const unfolded = createUnfoldedEvents(bucketCount);
  add(unfolded, 1, 2);
  add(unfolded, 1, 1, { bucket: 1 });
  add(unfolded, 3, 1);
  const first = { lane: 1, from: [0, 0], until: [3, 1], count: 4 };
  t.deepEqual(shapes(unfolded), [first]);
  add(unfolded, 4, 1);
  t.deepEqual(shapes(unfolded), [first, { lane: 1, from: [3, 1], until: [4, 1], count: 1 }]);
  t.deepEqual(shapes(unfolded, 1), [{ ...first, until: [4, 1], count: 5 }]);
});

test('a stretch ends where the event of another node stands between', (t) => {
  const unfolded = createUnfoldedEvents(bucketCount);
  add(unfolded, 1, 2);
  add(unfolded, 4, 2);
  t.deepEqual(shapes(unfolded), [
    { lane: 1, from: [0, 0], until: [2, 0], count: 2 },
    { lane: 1, from: [3, 0], until: [5, 0], count: 2 },
  ]);
});

test('a lane that was another node’s begins where that one ended, and another lane makes another stretch', (t) => {
  const unfolded = createUnfoldedEvents(bucketCount);
  unfolded.beginAt(3, [100, 7]);
  add(unfolded, 101, 1, { lane: 3 });
  add(unfolded, 8, 1, { lane: 3, bucket: 1 });
  add(unfolded, 1, 1, { lane: 4 });
  t.deepEqual(shapes(unfolded), [
    { lane: 3, from: [100, 7], until: [101, 8], count: 2 },
    { lane: 4, from: [0, 0], until: [1, 0], count: 1 },
  ]);
});

test('a lane that comes back from another node continues no stretch of before, which lacks what that one stored', (t) => {
  const unfolded = createUnfoldedEvents(bucketCount);
  add(unfolded, 1, 1, { lane: 3 });
  unfolded.beginAt(3, [5, 2]);
  add(unfolded, 6, 1, { lane: 3 });
  t.deepEqual(shapes(unfolded), [
    { lane: 3, from: [0, 0], until: [1, 0], count: 1 },
    { lane: 3, from: [5, 2], until: [6, 2], count: 1 },
  ]);
});

test('a large group makes several stretches', (t) => {
  const unfolded = createUnfoldedEvents(bucketCount);
  add(unfolded, 1, 20_000);
  t.deepEqual(
    shapes(unfolded).map(({ count }) => count),
    [8_000, 8_000, 4_000],
  );
});

test('events are counted until every bucket has taken them in', (t) => {
  const unfolded = createUnfoldedEvents(bucketCount);
  t.is(unfolded.waitedMs, 0);
  add(unfolded, 1, 2);
  const [first] = unfolded.take(0);
  add(unfolded, 3, 1);
  unfolded.remove(first);
  t.is(unfolded.count, 3);
  t.deepEqual(shapes(unfolded), [{ lane: 1, from: [2, 0], until: [3, 0], count: 1 }]);
  unfolded.remove(unfolded.take(1)[0]);
  t.is(unfolded.count, 1);
  t.true(unfolded.waitedMs > 0);
});

test('a view keeps what is dropped after it, and tells what is beyond what a bucket has reached', (t) => {
  const unfolded = createUnfoldedEvents(bucketCount);
  add(unfolded, 1, 3);
  const before = unfolded.view();
  t.deepEqual(before.lanes, [1]);
  for (let bucket = 0; bucket < bucketCount; bucket++) unfolded.drop(bucket);
  const idsOf = (given: typeof before, reached: number[]) =>
    given.linesOf('shop', 'd:d', { 1: reached }).entries.map(({ text }) => text.split('\t')[3]);
  t.deepEqual(idsOf(before, [0, 0]), ['i1', 'i2', 'i3']);
  t.deepEqual(idsOf(before, [2, 9]), ['i3']);
  t.deepEqual(idsOf(unfolded.view(), [0, 0]), []);
});
