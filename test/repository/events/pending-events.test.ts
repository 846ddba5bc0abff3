import test from 'ava';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { createPendingEvents, type PendingRange } from '../../../src/repository/events/pending-events.ts';

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

type Pending = ReturnType<typeof createPendingEvents>;

/** Adds a group of events stored in a bucket from a number on. */
function add(pending: Pending, firstNumber: number, count: number, { bucket = 0, lane = 1 } = {}): void {
  const events = Array.from({ length: count }, (_, i) => view(`i${firstNumber + i}`));
  pending.add({ bucket, lane, firstNumber, receivedAtMs: 5, events });
}

const shapeOf = ({ lane, from, until, count }: PendingRange) => ({ lane, from, until, count });
const shapes = (pending: Pending, bucket = 0) => pending.take(bucket).map(shapeOf);

test('consecutive groups form one range until it is taken', (t) => {
  const pending = createPendingEvents(bucketCount);
  add(pending, 1, 2);
  add(pending, 1, 1, { bucket: 1 });
  add(pending, 3, 1);
  const first = { lane: 1, from: [0, 0], until: [3, 1], count: 4 };
  t.deepEqual(shapes(pending), [first]);
  add(pending, 4, 1);
  t.deepEqual(shapes(pending), [first, { lane: 1, from: [3, 1], until: [4, 1], count: 1 }]);
  t.deepEqual(shapes(pending, 1), [{ ...first, until: [4, 1], count: 5 }]);
});

test('a range ends at an event of another node', (t) => {
  const pending = createPendingEvents(bucketCount);
  add(pending, 1, 2);
  add(pending, 4, 2);
  t.deepEqual(shapes(pending), [
    { lane: 1, from: [0, 0], until: [2, 0], count: 2 },
    { lane: 1, from: [3, 0], until: [5, 0], count: 2 },
  ]);
});

test('a lane taken over from another node begins at its end, and another lane forms another range', (t) => {
  const pending = createPendingEvents(bucketCount);
  pending.beginAt(3, [100, 7]);
  add(pending, 101, 1, { lane: 3 });
  add(pending, 8, 1, { lane: 3, bucket: 1 });
  add(pending, 1, 1, { lane: 4 });
  t.deepEqual(shapes(pending), [
    { lane: 3, from: [100, 7], until: [101, 8], count: 2 },
    { lane: 4, from: [0, 0], until: [1, 0], count: 1 },
  ]);
});

test('a lane returned by another node starts a new range, because the old one lacks that node’s events', (t) => {
  const pending = createPendingEvents(bucketCount);
  add(pending, 1, 1, { lane: 3 });
  pending.beginAt(3, [5, 2]);
  add(pending, 6, 1, { lane: 3 });
  t.deepEqual(shapes(pending), [
    { lane: 3, from: [0, 0], until: [1, 0], count: 1 },
    { lane: 3, from: [5, 2], until: [6, 2], count: 1 },
  ]);
});

test('a large group forms several ranges', (t) => {
  const pending = createPendingEvents(bucketCount);
  add(pending, 1, 20_000);
  t.deepEqual(
    shapes(pending).map(({ count }) => count),
    [8_000, 8_000, 4_000],
  );
});

test('events are counted until every bucket has aggregated them', (t) => {
  const pending = createPendingEvents(bucketCount);
  t.is(pending.waitedMs, 0);
  add(pending, 1, 2);
  const [first] = pending.take(0);
  add(pending, 3, 1);
  pending.remove(first);
  t.is(pending.count, 3);
  t.deepEqual(shapes(pending), [{ lane: 1, from: [2, 0], until: [3, 0], count: 1 }]);
  pending.remove(pending.take(1)[0]);
  t.is(pending.count, 1);
  t.true(pending.waitedMs > 0);
});

test('a view keeps events dropped later, and returns those that a bucket has not aggregated', (t) => {
  const pending = createPendingEvents(bucketCount);
  add(pending, 1, 3);
  const before = pending.view();
  t.deepEqual(before.lanes, [1]);
  for (let bucket = 0; bucket < bucketCount; bucket++) pending.drop(bucket);
  const idsOf = (given: typeof before, reached: number[]) =>
    given.linesOf('shop', 'd:d', { 1: reached }).entries.map(({ text }) => text.split('\t')[3]);
  t.deepEqual(idsOf(before, [0, 0]), ['i1', 'i2', 'i3']);
  t.deepEqual(idsOf(before, [2, 9]), ['i3']);
  t.deepEqual(idsOf(pending.view(), [0, 0]), []);
});
