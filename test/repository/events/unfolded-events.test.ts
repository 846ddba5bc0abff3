import test from 'ava';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { createUnfoldedEvents } from '../../../src/repository/events/unfolded-events.ts';

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

/** Adds events of these numbers, in one group. */
function add(unfolded: ReturnType<typeof createUnfoldedEvents>, ...sequences: number[]): void {
  unfolded.add(
    sequences.map((sequence) => view(`i${sequence}`)),
    sequences,
  );
}

const ofDevice = { environment: 'shop', subject: 'd:d' };

test('groups that follow one another make one stretch, until it is taken', (t) => {
  const unfolded = createUnfoldedEvents();
  add(unfolded, 1, 2);
  add(unfolded, 3);
  const { firstSequence, lastSequence, eventCount } = unfolded.take(0)!;
  t.deepEqual([firstSequence, lastSequence, eventCount], [1, 3, 3]);
  add(unfolded, 4);
  t.like(unfolded.take(0), { lastSequence: 3 }, 'what could not be folded is taken again');
  t.like(unfolded.take(3), { firstSequence: 4, lastSequence: 4 });
});

test('a stretch ends where the event of another node stands between', (t) => {
  const unfolded = createUnfoldedEvents();
  add(unfolded, 1, 2, 4, 5);
  add(unfolded, 7);
  t.like(unfolded.take(0), { lastSequence: 2 });
  t.is(unfolded.take(2), undefined);
  t.like(unfolded.take(3), { firstSequence: 4, lastSequence: 5 });
  unfolded.forget(6);
  t.is(unfolded.count, 1);
});

test('a large group makes several stretches', (t) => {
  const unfolded = createUnfoldedEvents();
  add(unfolded, ...Array.from({ length: 20_000 }, (_, place) => place + 1));
  const lengths: number[] = [];
  for (let reached = 0; reached < 20_000; ) {
    const stretch = unfolded.take(reached)!;
    lengths.push(stretch.eventCount);
    reached = stretch.lastSequence;
  }
  t.deepEqual(lengths, [8_000, 8_000, 4_000]);
});

test('a view keeps what is forgotten after it, and tells what is newer than a history', (t) => {
  const unfolded = createUnfoldedEvents();
  add(unfolded, 1, 2, 3);
  const before = unfolded.view();
  unfolded.forget(3);
  const idsOf = (view: typeof before, afterSequence: number) =>
    view.linesOf({ ...ofDevice, afterSequence }).entries.map(({ text }) => text.split('\t')[3]);
  t.deepEqual(idsOf(before, 0), ['i1', 'i2', 'i3']);
  t.deepEqual(idsOf(before, 2), ['i3']);
  t.deepEqual(idsOf(unfolded.view(), 0), []);
});
