import test from 'ava';
import { commitEvents, type EventRow } from '../../src/repository/events.ts';
import { findHistories } from '../../src/repository/histories.ts';
import { createTestDatabase } from '../support/database.ts';

const view = (itemId: string, seconds: number, more: Partial<EventRow> = {}): EventRow => ({
  environment: 'shop',
  eventType: 'detail_view',
  occurredAtMs: seconds * 1_000 + 999,
  itemType: 'product',
  itemId,
  robot: false,
  details: {},
  ...more,
});

const lookup = (more: { deviceId?: string; userId?: string }) => ({ environment: 'shop', ...more });

test('unknown users and devices have an empty history', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await findHistories(db, []), []);
  t.deepEqual(await findHistories(db, [lookup({ deviceId: 'd', userId: 'u' })]), [
    { entries: [], impressions: [], linkedUser: undefined },
  ]);
});

test('an entry has the type, the item and whole seconds', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [view('sofa', 100, { deviceId: 'd' })]);
  const [history] = await findHistories(db, [lookup({ deviceId: 'd' })]);
  t.deepEqual(history.entries, [
    { eventType: 'detail_view', itemType: 'product', itemId: 'sofa', occurredAtSeconds: 100 },
  ]);
});

test('a device and its last user make one history, and another given user replaces the linked one', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    view('by-device', 1, { deviceId: 'd' }),
    view('by-ann', 2, { deviceId: 'd', userId: 'ann' }),
    view('by-bob', 3, { deviceId: 'other', userId: 'bob' }),
  ]);
  const lookups = [
    lookup({ deviceId: 'd' }),
    lookup({ deviceId: 'd', userId: 'bob' }),
    lookup({ userId: 'ann' }),
  ];
  const histories = await findHistories(db, lookups);
  t.deepEqual(
    histories.map((history) => history.entries.map((entry) => entry.itemId)),
    [['by-ann', 'by-device'], ['by-bob', 'by-device'], ['by-ann']],
  );
  t.deepEqual(
    histories.map((history) => history.linkedUser),
    ['ann', 'ann', undefined],
  );
});

test('a device links to the last user seen with it, also within one group and without an item', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    view('a', 1, { deviceId: 'd', userId: 'ann' }),
    view('b', 2, { deviceId: 'd', userId: 'bob' }),
    view('c', 3, { deviceId: 'd' }),
  ]);
  t.is((await findHistories(db, [lookup({ deviceId: 'd' })]))[0].linkedUser, 'bob');
  await commitEvents(db, [view('', 4, { deviceId: 'd', userId: 'eve', itemId: undefined })]);
  t.is((await findHistories(db, [lookup({ deviceId: 'd' })]))[0].linkedUser, 'eve');
});

test('histories of environments are apart', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    view('a', 1, { deviceId: 'd' }),
    view('b', 1, { deviceId: 'd', environment: 'news' }),
  ]);
  const [shop, news] = await findHistories(db, [
    lookup({ deviceId: 'd' }),
    { environment: 'news', deviceId: 'd' },
  ]);
  t.deepEqual([shop.entries[0].itemId, news.entries[0].itemId], ['a', 'b']);
});

test('ids may hold tabs, newlines and backslashes', async (t) => {
  const db = await createTestDatabase(t);
  const itemIds = ['a\tb', 'a\nb', 'a\\nb', '\\', '"{},NULL'];
  await commitEvents(
    db,
    itemIds.map((itemId, index) => view(itemId, 10 - index, { deviceId: 'd\t"' })),
  );
  const [history] = await findHistories(db, [lookup({ deviceId: 'd\t"' })]);
  t.deepEqual(
    history.entries.map((entry) => entry.itemId),
    itemIds,
  );
});

test('impressions are kept apart, and read only when asked for', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    view('seen', 1, { deviceId: 'd', eventType: 'impression' }),
    view('done', 2, { deviceId: 'd' }),
    view('seen by ann', 3, { userId: 'ann', eventType: 'search_impression' }),
  ]);
  const lookups = [
    lookup({ deviceId: 'd' }),
    { ...lookup({ deviceId: 'd', userId: 'ann' }), withImpressions: true },
  ];
  const [without, both] = await findHistories(db, lookups);
  const idsOf = (entries: { itemId: string }[]) => entries.map(({ itemId }) => itemId);
  t.deepEqual([idsOf(without.entries), idsOf(without.impressions)], [['done'], []]);
  t.deepEqual([idsOf(both.entries), idsOf(both.impressions)], [['done'], ['seen by ann', 'seen']]);
});
