import test from 'ava';
import { createClickFolding } from '../../../src/handlers/searches/replica/click-counts.ts';
import { fingerprintOf, requestIdOf } from '../../../src/ranking/search/serving/query-fingerprint.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import {
  deleteOldClicks,
  foldSearchEvents,
  listClickedQueries,
  listClicksAfter,
} from '../../../src/repository/search/search-clicks.ts';
import { addQueryCounts } from '../../../src/repository/search/search-queries.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';

const click = (given: Partial<EventRow> = {}): EventRow => ({
  environment: 'shop',
  eventType: 'search_click_on_recommendation',
  occurredAtMs: Date.now(),
  deviceId: 'd1',
  itemType: 'product',
  itemId: 'a',
  requestId: requestIdOf(fingerprintOf('red lamp')),
  robot: false,
  details: {},
  ...given,
});

const visitors = (count: number, given: Partial<EventRow> = {}) =>
  Array.from({ length: count }, (_, i) => click({ deviceId: `d${i}`, ...given }));

const environments = ['shop', 'news'];

/** Aggregates all events, like a node. */
async function foldAll(db: TestDatabase): Promise<void> {
  for (const environment of environments)
    while (await foldSearchEvents(db, environment, createClickFolding()));
}

const clicksIn = async (db: TestDatabase, leastVisitors = 1) =>
  (await listClicksAfter(db, { sinceNumber: 0, leastVisitors, limit: 1_000 })).map((row) => [
    row.environment,
    row.itemId,
    Math.round(row.clicks),
    Math.round(row.views),
  ]);

test('every event is aggregated once by any number of nodes', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [...visitors(5), ...visitors(3, { eventType: 'search_impression' })]);
  await Promise.all([foldAll(db), foldAll(db), foldAll(db)]);
  await foldAll(db);
  t.deepEqual(await clicksIn(db), [['shop', 'a', 5, 3]]);
  await commitEvents(db, [click({ deviceId: 'later' }), click({ deviceId: 'd0' })]);
  await foldAll(db);
  t.deepEqual(await clicksIn(db), [['shop', 'a', 6, 3]]);
});

test('events that arrived hours before they are read are aggregated, too', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, visitors(2));
  await foldAll(db);
  await commitEvents(db, visitors(4));
  await db.pool.query(`update events set received_at = now() - interval '5 hours'`);
  await foldAll(db);
  t.deepEqual(await clicksIn(db), [['shop', 'a', 4, 0]]);
});

const leftOut: [name: string, event: Partial<EventRow>][] = [
  ['of robots', { robot: true }],
  ['without a visitor', { deviceId: 'anonymous' }],
  ['of other kinds', { eventType: 'click_on_recommendation' }],
  ["under the caller's own identifier", { requestId: '12345' }],
  ['without an identifier', { requestId: undefined }],
  ['in an environment that is not served', { environment: 'elsewhere' }],
];

for (const [name, event] of leftOut) {
  test(`events ${name} are left out`, async (t) => {
    const db = await createTestDatabase(t);
    await commitEvents(db, [click(event)]);
    await foldAll(db);
    t.deepEqual(await clicksIn(db), []);
  });
}

test('the least clicked items of a query are deleted', async (t) => {
  const db = await createTestDatabase(t);
  const items = Array.from({ length: 70 }, (_, i) =>
    visitors(i < 10 ? 2 : 1, { itemId: `i${i}`, environment: 'news' }),
  );
  await commitEvents(db, items.flat());
  await foldAll(db);
  const rows = await clicksIn(db);
  t.is(rows.length, 50);
  t.is(rows.filter(([, , clicks]) => clicks === 2).length, 10);
  await deleteOldClicks(db, 'news');
  t.is((await clicksIn(db)).length, 50);
});

test('a follower reads changes since its offset, for items with enough visitors', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [...visitors(3), ...visitors(2, { itemId: 'b' })]);
  await foldAll(db);
  const first = await listClicksAfter(db, { sinceNumber: 0, leastVisitors: 3, limit: 10 });
  t.deepEqual(
    first.map(({ itemId, clickerCount }) => [itemId, clickerCount]),
    [['a', 3]],
  );
  await commitEvents(db, [click({ deviceId: 'third', itemId: 'b' })]);
  await foldAll(db);
  const page = { sinceNumber: first[0].number, leastVisitors: 3, limit: 10 };
  const second = await listClicksAfter(db, page);
  t.deepEqual(
    second.map(({ itemId }) => itemId),
    ['b'],
  );
  t.deepEqual(await listClicksAfter(db, { ...page, sinceNumber: second[0].number }), []);
});

test('events of several lanes and buckets are aggregated once, whatever is between them', async (t) => {
  const db = await createTestDatabase(t);
  for (let i = 0; i < 12; i++) {
    const environment = i % 3 === 0 ? 'news' : 'shop';
    const given = { environment, deviceId: `d${i}`, eventId: i % 2 === 0 ? `id-${i}` : undefined };
    await commitEvents(db, [click(given), click({ environment: 'elsewhere' })], { lane: 1 + (i % 3) });
    if (i % 4 === 0) await Promise.all([foldAll(db), foldAll(db)]);
  }
  await foldAll(db);
  t.deepEqual((await clicksIn(db)).toSorted(), [
    ['news', 'a', 4, 0],
    ['shop', 'a', 8, 0],
  ]);
});

test('the words of clicked queries are known where their text was counted', async (t) => {
  const db = await createTestDatabase(t);
  const fingerprint = fingerprintOf('red lamp');
  await commitEvents(db, [
    ...visitors(4),
    ...visitors(4, { requestId: requestIdOf(fingerprintOf('unknown')) }),
  ]);
  await foldAll(db);
  await addQueryCounts(db, [
    { environment: 'shop', query: 'red lamp', fingerprint, searches: 9, withoutResults: 0 },
  ]);
  const [found, ...others] = await listClickedQueries(db, 3, 10);
  t.like(found, { environment: 'shop', query: 'red lamp' });
  t.is(Math.round(found.clicks), 4);
  t.deepEqual(others, []);
});
