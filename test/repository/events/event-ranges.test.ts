import test from 'ava';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { copyEvents } from '../../../src/repository/events/event-copy.ts';
import {
  findFirstArrival,
  findNewestEvents,
  limitRanges,
  listEventRanges,
  positionAfter,
  rangesArrivedSince,
  rangesUpTo,
} from '../../../src/repository/events/event-ranges.ts';
import { type FeedRange, positionKey } from '../../../src/repository/feeds.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { aggregateAll, commitEvents } from '../../support/events.ts';
import { fc } from '../../support/properties.ts';

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 4, 1);
const spanMs = 40 * hourMs;

/** `busy` has most of the events, `rare` a few, `late` events that arrived long after they happened, `none` none. */
const environments = ['busy', 'rare', 'late', 'none'] as const;
const batchCount = 240;

/** Computed without any index. */
type Known = {
  environment: string;
  bucket: number;
  lane: number;
  number: number;
  atMs: number;
  arrivedMs: number;
};

/** Pseudo-random numbers, the same in every run. */
const drawn = (place: number, below: number) =>
  Math.floor((((place * 2_654_435_761) % 2 ** 32) / 2 ** 32) * below);

function makeBatch(place: number): EventRow[] {
  const environment = place % 19 === 0 ? 'rare' : place % 7 === 0 ? 'late' : 'busy';
  return Array.from({ length: 1 + drawn(place, 4) }, (_, i) => ({
    environment,
    eventType: 'detail_pageview',
    occurredAtMs:
      startMs +
      Math.floor((place / batchCount) * spanMs) -
      (environment === 'late' ? drawn(place, spanMs) : 0),
    deviceId: 'd',
    itemType: 'product',
    itemId: `${place}.${i}`,
    robot: false,
    eventId: place % 3 === 0 ? `${place}.${i}` : undefined,
    details: {},
  }));
}

/**
 * Three buckets and three lanes; each event arrived when its batch was stored, in order of time.
 */
async function makeWorld(db: TestDatabase): Promise<Known[]> {
  await db.pool.query(`update settings set value = '3' where key = 'bucket_count'`);
  for (let place = 0; place < batchCount; place++) {
    await commitEvents(db, makeBatch(place), { lane: 1 + drawn(place + 7, 3) });
  }
  await db.pool.query(
    `update events set received_at = to_timestamp($1 + split_part(item_id, '.', 1)::int * $2::float8)`,
    [startMs / 1_000, spanMs / 1_000 / batchCount],
  );
  const { rows } = await db.pool.query(`
    select environment, bucket, lane, number, extract(epoch from occurred_at)::float8 * 1000 as "atMs",
      extract(epoch from received_at)::float8 * 1000 as "arrivedMs" from events order by bucket, lane, number`);
  return rows;
}

const isIn = (ranges: readonly FeedRange[]) => (event: Known) =>
  ranges.some(
    ({ bucket, lane, since, until }) =>
      event.bucket === bucket && event.lane === lane && event.number > since && event.number <= until,
  );

const placesOf = (events: Known[]) =>
  events.map(({ bucket, lane, number }) => `${bucket}.${lane}.${number}`).join();

/** Events outside a range are older in their lane than those within. */
function holdsNewest(all: Known[], ranges: readonly FeedRange[]): boolean {
  const isHeld = isIn(ranges);
  return all
    .filter(isHeld)
    .every((held) =>
      all.every(
        (other) => isHeld(other) || positionKey(other) !== positionKey(held) || other.number < held.number,
      ),
    );
}

const someMoment = fc.oneof(fc.integer({ min: -2, max: 42 * 60 }), fc.constantFrom(0, 20 * 60, 40 * 60));

test('ranges and newest events equal those of a full scan', async (t) => {
  const db = await createTestDatabase(t);
  const world = await makeWorld(db);
  await aggregateAll(db);
  const all = await listEventRanges(db);
  t.true(all.length >= 7);
  t.is(world.filter(isIn(all)).length, world.length);
  const of = (environment: string) => world.filter((event) => event.environment === environment);

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...environments),
      someMoment,
      fc.nat(20),
      async (environment, minutes, since) => {
        const moment = new Date(startMs + minutes * 60_000);
        const given = all.map((range) => ({ ...range, since: Math.min(since, range.until) }));
        const found = await rangesArrivedSince(db, environment, given, moment);
        const expected = of(environment)
          .filter(isIn(given))
          .filter(({ arrivedMs }) => arrivedMs >= moment.getTime());
        return placesOf(of(environment).filter(isIn(found))) === placesOf(expected);
      },
    ),
    { numRuns: 40 },
  );

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...environments),
      fc.integer({ min: 1, max: 700 }),
      async (environment, most) => {
        const events = of(environment);
        const limited = await limitRanges(db, environment, all, most);
        const held = events.filter(isIn(limited));
        const isExact = events.length <= most ? held.length === events.length : held.length <= most;
        return (
          isExact && held.length > Math.min(events.length, most) - all.length && holdsNewest(events, limited)
        );
      },
    ),
    { numRuns: 30 },
  );

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...environments),
      fc.integer({ min: 1, max: 700 }),
      async (environment, most) => {
        const events = of(environment);
        const { ranges, occurredSince, until } = await findNewestEvents(db, environment, most);
        const sinceMs = occurredSince?.getTime() ?? Number.NEGATIVE_INFINITY;
        const newest = events.filter(({ atMs }) => atMs >= sinceMs);
        const later = events.filter(({ atMs }) => atMs >= sinceMs + hourMs);
        let read = 0;
        await copyEvents(db, environment, { ranges, occurredSince }, () => {
          read += 1;
        });
        const isSame = read === events.filter(isIn(ranges)).filter(({ atMs }) => atMs >= sinceMs).length;
        if (!isSame || JSON.stringify(until) !== JSON.stringify(positionAfter(all))) return false;
        if (events.length < most) return occurredSince === undefined && read === events.length;
        if (newest.length < most || later.length >= most || read > most) return false;
        /** Late events count towards the limit of the ranges. */
        const stale = events.filter(({ atMs, arrivedMs }) => atMs < sinceMs && arrivedMs >= sinceMs - hourMs);
        return read > most - all.length - stale.length;
      },
    ),
    { numRuns: 30 },
  );
});

const event = (rest: Partial<EventRow> = {}): EventRow => ({
  environment: 'shop',
  eventType: 'detail_pageview',
  occurredAtMs: startMs,
  itemType: 'product',
  itemId: 'a',
  robot: false,
  details: {},
  ...rest,
});

test('a position separates new events from earlier ones', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await listEventRanges(db), []);
  await commitEvents(db, [event(), event()], { lane: 1 });
  await commitEvents(db, [event()], { lane: 10 });
  const first = await listEventRanges(db);
  t.deepEqual(first, [
    { bucket: 1, lane: 1, since: 0, until: 2 },
    { bucket: 2, lane: 10, since: 0, until: 1 },
  ]);
  const position = positionAfter(first);
  t.deepEqual(position, { '1.1': 2, '2.10': 1 });
  t.deepEqual(rangesUpTo(position), first);
  t.deepEqual(await listEventRanges(db, position), []);
  await commitEvents(db, [event()], { lane: 1 });
  await commitEvents(db, [event()], { lane: 2 });
  const second = await listEventRanges(db, position);
  t.deepEqual(second, [
    { bucket: 1, lane: 1, since: 2, until: 3 },
    { bucket: 2, lane: 2, since: 0, until: 1 },
  ]);
  t.deepEqual(positionAfter(second, position), { '1.1': 3, '2.10': 1, '2.2': 1 });
});

test('the newest events of a quiet environment are found among those of a busy one', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [event({ environment: 'quiet', itemId: 'first' })]);
  await commitEvents(
    db,
    Array.from({ length: 500 }, () => event()),
  );
  await commitEvents(db, [event({ environment: 'quiet', itemId: 'second' })], { lane: 2 });
  await aggregateAll(db);
  for (const [most, expected] of [
    [10, ['first', 'second']],
    [2, ['first', 'second']],
  ] as const) {
    const copied: string[] = [];
    const newest = await findNewestEvents(db, 'quiet', most);
    await copyEvents(db, 'quiet', newest, ({ itemId }) => copied.push(itemId));
    t.deepEqual(copied.toSorted(), expected);
  }
});

test('the first arrival is the earliest of all lanes', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await findFirstArrival(db, 'shop', await listEventRanges(db)), undefined);
  await commitEvents(db, [event({ environment: 'other' })], { lane: 3 });
  for (const lane of [3, 1, 2]) await commitEvents(db, [event()], { lane });
  const { rows } = await db.pool.query(
    `select received_at from events where environment = 'shop' and lane = 3`,
  );
  const ranges = await listEventRanges(db);
  t.deepEqual(await findFirstArrival(db, 'shop', ranges), rows[0].received_at);
  t.is(await findFirstArrival(db, 'none', ranges), undefined);
});
