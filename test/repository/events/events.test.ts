import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { bucketCountOf, bucketOf } from '../../../src/repository/buckets.ts';
import { createDatabase } from '../../../src/repository/database.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { type StreamedEvent, streamEvents } from '../../../src/repository/events/event-stream.ts';
import { deleteExpiredEventIds, storeRequests } from '../../../src/repository/events/events.ts';
import { findHistories } from '../../../src/repository/events/histories.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { aggregateAll, commitEvents } from '../../support/events.ts';

const noonMs = Date.UTC(2026, 4, 1, 12);

const event = (more: Partial<EventRow> = {}): EventRow => ({
  environment: 'shop',
  eventType: 'detail_view',
  occurredAtMs: noonMs,
  itemType: 'product',
  itemId: 'sofa',
  robot: false,
  details: {},
  ...more,
});

async function readAll(db: TestDatabase, range = {}): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const batch of streamEvents(db, 'shop', { withDetails: true, ...range })) events.push(...batch);
  return events;
}

const itemIds = async (db: TestDatabase, lookup: { deviceId?: string; userId?: string }) => {
  await aggregateAll(db);
  const [history] = await findHistories(db, [{ environment: 'shop', ...lookup }]);
  return history.entries.map((entry) => entry.itemId);
};

/**
 * Waits until a statement waits for another transaction's lock; on a cluster locks are not visible
 * here, and a few polls are enough.
 */
async function untilSomebodyWaits(db: TestDatabase): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (let looks = 0; looks < 100; looks++) {
    if ((await db.pool.query(text)).rowCount! > 0) return;
    await delay(20);
  }
}

test('an event is read back with all its columns and its own JSON', async (t) => {
  const db = await createTestDatabase(t);
  const full = event({
    deviceId: 'd1',
    userId: 'u1',
    requestId: 'r1',
    listName: 'top',
    pageType: 'home',
    channel: 'web',
    userGroup: 'recommender',
    version: 'A',
    eventId: 'e1',
    occurredAtMs: noonMs + 123,
    details: { amount: 2, extra: ['ü', null] },
  });
  t.deepEqual(await commitEvents(db, [full]), [true]);
  const [stored] = await readAll(db);
  t.like(stored, full as object);
  t.like(stored, { lane: 1, number: 1 });
  t.true(stored.receivedAtMs > noonMs);
});

test('no events need no statement', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await commitEvents(db, []), []);
});

test('a repeated event id is stored once, within a call and across calls, per environment', async (t) => {
  const db = await createTestDatabase(t);
  const first = event({ eventId: 'e1', deviceId: 'd1' });
  t.deepEqual(await commitEvents(db, [first, event({ deviceId: 'd1' }), first]), [true, true, false]);
  const elsewhere = { ...first, environment: 'news' };
  t.deepEqual(await commitEvents(db, [first, elsewhere]), [false, true]);
  t.is((await readAll(db)).length, 2);
  t.is((await itemIds(db, { deviceId: 'd1' })).length, 2);
});

test('an id of a public event makes no event of a back end or of another type a duplicate', async (t) => {
  const db = await createTestDatabase(t);
  const visit = event({ eventId: 'order-1', eventType: 'page_visit', isPublic: true });
  const order = event({ eventId: 'order-1', eventType: 'purchase' });
  t.deepEqual(await commitEvents(db, [visit]), [true]);
  t.deepEqual(await commitEvents(db, [{ ...order, isPublic: true }]), [true]);
  t.deepEqual(await commitEvents(db, [order, { ...order, eventType: 'add_to_cart' }, order]), [
    true,
    true,
    false,
  ]);
  t.deepEqual(await commitEvents(db, [visit, order, { ...order, isPublic: true }]), [false, false, false]);
  const stored = (await readAll(db)).map(({ eventType, isPublic }) => [eventType, isPublic]);
  t.deepEqual(stored.sort(), [
    ['add_to_cart', false],
    ['page_visit', true],
    ['purchase', false],
    ['purchase', true],
  ]);
});

test('an id stored before ids had scopes is known in all scopes, for the rest of its seven days', async (t) => {
  const db = await createTestDatabase(t);
  const order = event({ eventId: 'order-1', eventType: 'purchase' });
  const bucket = bucketOf(await bucketCountOf(db), 'shop', 'order-1');
  const remember = (days: number) =>
    db.pool.query(
      `insert into event_ids values ($1, 'shop', 'order-1', now() - make_interval(days => $2))
      on conflict (bucket, environment, event_id) do update set received_at = excluded.received_at`,
      [bucket, days],
    );
  await remember(6);
  t.deepEqual(await commitEvents(db, [order, event({ deviceId: 'd1' })]), [false, true]);
  t.deepEqual(await commitEvents(db, [{ ...order, isPublic: true }]), [false]);
  await remember(8);
  t.deepEqual(await commitEvents(db, [order]), [true]);
  t.deepEqual(await commitEvents(db, [order]), [false]);
  t.is(await deleteExpiredEventIds(db, 10), 1);
  t.deepEqual(await commitEvents(db, [order]), [false]);
});

test('an event id counts as new after seven days, and old ids can be forgotten', async (t) => {
  const db = await createTestDatabase(t);
  const ageIds = (days: number) =>
    db.pool.query('update event_claims set received_at = now() - make_interval(days => $1)', [days]);
  await commitEvents(db, [event({ eventId: 'e1' })]);
  await ageIds(6);
  t.deepEqual(await commitEvents(db, [event({ eventId: 'e1' })]), [false]);
  await ageIds(8);
  t.deepEqual(await commitEvents(db, [event({ eventId: 'e1' })]), [true]);
  t.deepEqual(await commitEvents(db, [event({ eventId: 'e1' })]), [false]);
  t.is(await deleteExpiredEventIds(db, 10), 0);
  await ageIds(8);
  t.is(await deleteExpiredEventIds(db, 10), 1);
});

/** A Postgres zone: an hour forward three days ago, and back half a year later. */
function zoneOfSummerSince(nowMs: number): string {
  const dayMs = 86_400_000;
  const at = new Date(nowMs - 3 * dayMs);
  /** The day of a year without a leap day, as such a zone needs it. */
  const day = (Date.UTC(2026, at.getUTCMonth(), at.getUTCDate()) - Date.UTC(2026, 0)) / dayMs;
  return `STD0DST-1,J${(day % 365) + 1}/0,J${((day + 182) % 365) + 1}/0`;
}

test('an event id is known for seven whole days, even if the database’s clock changes', async (t) => {
  const own = await createTestDatabase(t);
  await own.pool.query(
    `alter database ${own.connection.database} set timezone = '${zoneOfSummerSince(Date.now())}'`,
  );
  const db = { ...own, ...createDatabase(own.connection, { poolSize: 2 }) };
  t.teardown(db.close);
  await commitEvents(db, [event({ eventId: 'e1' })]);
  await db.pool.query(`update event_claims set received_at = now() - interval '167.5 hours'`);
  t.deepEqual(await commitEvents(db, [event({ eventId: 'e1' })]), [false]);
});

test('an event id that is claimed again while old ones are deleted is kept', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [event({ eventId: 'e1' })]);
  await db.pool.query(`update event_claims set received_at = now() - interval '8 days'`);
  const client = await db.pool.connect();
  await client.query('begin');
  await client.query('update event_claims set received_at = now()');
  const forgetting = deleteExpiredEventIds(db, 10);
  await untilSomebodyWaits(db);
  await client.query('commit');
  client.release();
  t.is(await forgetting, 0);
  t.deepEqual(await commitEvents(db, [event({ eventId: 'e1' })]), [false]);
});

test('concurrent groups with shared event ids store each event once', async (t) => {
  const db = await createTestDatabase(t);
  const events = Array.from({ length: 200 }, (_, index) =>
    event({ eventId: `e${index}`, deviceId: `d${index % 7}`, userId: `u${index % 5}` }),
  );
  const rounds = Array.from({ length: 8 }, (_, round) => (round % 2 ? events : events.toReversed()));
  const outcomes = await Promise.all(rounds.map((round) => commitEvents(db, round)));
  t.is(outcomes.flat().filter(Boolean).length, 200);
  t.is((await readAll(db)).length, 200);
});

const destinations: { title: string; event: Partial<EventRow>; device: number; user: number }[] = [
  { title: 'of a user is added to the user', event: { deviceId: 'd', userId: 'u' }, device: 0, user: 1 },
  { title: 'without a user is added to the device', event: { deviceId: 'd' }, device: 1, user: 0 },
  {
    title: 'of a robot is added to no history',
    event: { deviceId: 'd', userId: 'u', robot: true },
    device: 0,
    user: 0,
  },
  {
    title: 'without an item is added to no history',
    event: { deviceId: 'd', itemId: undefined },
    device: 0,
    user: 0,
  },
];

for (const destination of destinations) {
  test(`the history: an event ${destination.title}`, async (t) => {
    const db = await createTestDatabase(t);
    await commitEvents(db, [event(destination.event)]);
    await aggregateAll(db);
    const { rows } = await db.pool.query(
      `select subject, cardinality(string_to_array(entries, E'\\n')) as count from histories`,
    );
    const counts = new Map(rows.map((row) => [row.subject, row.count]));
    t.deepEqual([counts.get('d:d') ?? 0, counts.get('u:u') ?? 0], [destination.device, destination.user]);
  });
}

test('the event of the device "anonymous" is stored, without a history', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [event({ deviceId: 'anonymous' }), event({ deviceId: 'anonymous', userId: 'u1' })]);
  await aggregateAll(db);
  t.deepEqual(
    (await readAll(db)).map((row) => row.deviceId),
    [undefined, undefined],
  );
  const { rows } = await db.pool.query('select subject from histories');
  t.deepEqual(rows, [{ subject: 'u:u1' }]);
});

test('a history is newest first, keeps repetitions and at most 300 entries', async (t) => {
  const db = await createTestDatabase(t);
  const views = Array.from({ length: 200 }, (_, index) =>
    event({ deviceId: 'd1', itemId: `i${index}`, occurredAtMs: noonMs + index * 1_000 }),
  );
  await commitEvents(db, views);
  t.deepEqual((await itemIds(db, { deviceId: 'd1' })).slice(0, 2), ['i199', 'i198']);
  await commitEvents(
    db,
    views.map((view) => ({ ...view, occurredAtMs: view.occurredAtMs + 3_600_000 })),
  );
  const ids = await itemIds(db, { deviceId: 'd1' });
  t.is(ids.length, 300);
  t.deepEqual([ids[0], ids[199], ids[200], ids[299]], ['i199', 'i0', 'i199', 'i100']);
});

test('text that Postgres cannot store is stored with a replacement', async (t) => {
  const db = await createTestDatabase(t);
  const odd = event({ itemId: 'a\u0000b', userId: 'u\ud800', details: { note: '\\u0000 \u0000' } });
  t.deepEqual(await commitEvents(db, [odd]), [true]);
  t.like((await readAll(db))[0], {
    itemId: 'a\ufffdb',
    userId: 'u\ufffd',
    details: { note: '\\u0000 \ufffd' },
  });
});

test('an id too long for an index is the caller’s error', async (t) => {
  const db = await createTestDatabase(t);
  const random = Array.from({ length: 4_000 }, (_, index) => ((index * 7919) % 9_973).toString(36)).join('');
  const refusal = await t.throwsAsync(commitEvents(db, [event({ eventId: random })]));
  t.like(refusal, { reason: 'PARAMETER_INVALID' });
});

test('a stream gives the events of all lanes in order of arrival, in batches', async (t) => {
  const db = await createTestDatabase(t);
  const events = Array.from({ length: 12_000 }, (_, index) =>
    event({ itemId: `i${index}`, eventId: index % 2 ? `e${index}` : undefined }),
  );
  const arrived: string[] = [];
  for (let start = 0; start < events.length; start += 500) {
    const group = events.slice(start, start + 500);
    await commitEvents(db, group, { lane: 1 + (start % 3) });
    arrived.push(
      group
        .map(({ itemId }) => itemId)
        .sort()
        .join(),
    );
  }
  await commitEvents(db, [event({ environment: 'news' })]);
  const sizes: number[] = [];
  const read: string[] = [];
  for await (const batch of streamEvents(db, 'shop')) {
    sizes.push(batch.length);
    read.push(...batch.map(({ itemId }) => itemId!));
  }
  t.deepEqual(sizes, [5_000, 5_000, 2_000]);
  const groups = arrived.map((_, i) =>
    read
      .slice(i * 500, i * 500 + 500)
      .sort()
      .join(),
  );
  t.deepEqual(groups, arrived);
});

test('a request with content that cannot be stored fails alone, and its events without ids are not stored', async (t) => {
  const db = await createTestDatabase(t);
  const tooLong = Array.from({ length: 4_000 }, (_, index) => ((index * 7919) % 9_973).toString(36)).join('');
  const outcomes = await storeRequests(db, [
    [event({ itemId: 'a', eventId: 'e1' }), event({ itemId: 'b' })],
    [event({ itemId: 'c', eventId: tooLong }), event({ itemId: 'd' })],
    [event({ itemId: 'e' })],
  ]);
  t.deepEqual([outcomes[0], outcomes[2]], [[true, true], [true]]);
  t.like(outcomes[1], { reason: 'PARAMETER_INVALID' });
  t.deepEqual((await readAll(db)).map(({ itemId }) => itemId).sort(), ['a', 'b', 'e']);
});

test('a request that repeats an event that could not be stored fails, and its events without ids are not stored', async (t) => {
  const db = await createTestDatabase(t);
  const tooLong = Array.from({ length: 4_000 }, (_, index) => ((index * 7919) % 9_973).toString(36)).join('');
  const spoilt = event({ eventId: tooLong });
  const outcomes = await storeRequests(db, [
    [spoilt],
    [spoilt, event({ itemId: 'a' }), event({ itemId: 'b', eventId: 'e1' })],
    [event({ itemId: 'c', eventId: 'e2' }), event({ itemId: 'd' })],
    [event({ itemId: 'c', eventId: 'e2' }), event({ itemId: 'e' })],
  ]);
  t.like(outcomes[0], { reason: 'PARAMETER_INVALID' });
  t.like(outcomes[1], { reason: 'UNAVAILABLE' });
  t.deepEqual(outcomes.slice(2), [
    [true, true],
    [false, true],
  ]);
  t.deepEqual((await readAll(db)).map(({ itemId }) => itemId).sort(), ['b', 'c', 'd', 'e']);
});

test('a stream can be limited to a period, and has no details unless requested', async (t) => {
  const db = await createTestDatabase(t);
  const hours = [0, 1, 2, 3];
  await commitEvents(
    db,
    hours.map((hour) => event({ occurredAtMs: noonMs + hour * 3_600_000, itemId: `i${hour}` })),
  );
  const range = {
    from: new Date(noonMs + 3_600_000),
    to: new Date(noonMs + 3 * 3_600_000),
    withDetails: false,
  };
  const found = await readAll(db, range);
  t.deepEqual(
    found.map((row) => [row.itemId, row.details]),
    [
      ['i1', undefined],
      ['i2', undefined],
    ],
  );
});
