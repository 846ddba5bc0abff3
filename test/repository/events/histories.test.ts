import test from 'ava';
import { sql } from 'kysely';
import type { History } from '../../../src/ranking/history.ts';
import { bucketCountOf, bucketOf } from '../../../src/repository/buckets.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { findChangedHistories, findHistories } from '../../../src/repository/events/histories.ts';
import { withoutBucket } from '../../support/away-bucket.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { aggregateAll, commitEvents, createTestNode } from '../../support/events.ts';

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

async function commitAndAggregate(db: TestDatabase, events: EventRow[]): Promise<void> {
  await commitEvents(db, events);
  await aggregateAll(db);
}

const lookup = (more: { deviceId?: string; userId?: string }) => ({ environment: 'shop', ...more });

test('unknown users and devices have an empty history', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await findHistories(db, []), []);
  const [{ version, ...history }] = await findHistories(db, [lookup({ deviceId: 'd', userId: 'u' })]);
  t.deepEqual(history, {
    entries: [],
    impressions: [],
    consumed: [],
    linkedUser: undefined,
    owner: undefined,
  });
  const again = lookup({ deviceId: 'd', userId: 'u' });
  t.deepEqual(await findChangedHistories(db, [{ ...again, knownVersion: version }]), [undefined]);
});

test('an entry has the type, the item and whole seconds', async (t) => {
  const db = await createTestDatabase(t);
  await commitAndAggregate(db, [view('sofa', 100, { deviceId: 'd' })]);
  const [history] = await findHistories(db, [lookup({ deviceId: 'd' })]);
  t.deepEqual(history.entries, [
    {
      eventType: 'detail_view',
      qualifier: undefined,
      itemType: 'product',
      itemId: 'sofa',
      occurredAtSeconds: 100,
      place: undefined,
    },
  ]);
});

test('the histories of a device and its linked user are joined, and a given user replaces the linked one', async (t) => {
  const db = await createTestDatabase(t);
  await commitAndAggregate(db, [
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
    [['by-ann', 'by-device'], ['by-bob'], ['by-ann', 'by-device']],
  );
  t.deepEqual(
    histories.map((history) => history.linkedUser),
    ['ann', 'ann', undefined],
  );
});

test('a device links to the last user seen with it, also within one group and without an item', async (t) => {
  const db = await createTestDatabase(t);
  await commitAndAggregate(db, [
    view('a', 1, { deviceId: 'd', userId: 'ann' }),
    view('b', 2, { deviceId: 'd', userId: 'bob' }),
    view('c', 3, { deviceId: 'd' }),
  ]);
  t.is((await findHistories(db, [lookup({ deviceId: 'd' })]))[0].linkedUser, 'bob');
  await commitAndAggregate(db, [view('', 4, { deviceId: 'd', userId: 'eve', itemId: undefined })]);
  t.is((await findHistories(db, [lookup({ deviceId: 'd' })]))[0].linkedUser, 'eve');
});

test('a claimed user’s history is read with an unlinked device, but the user does not own the device', async (t) => {
  const db = await createTestDatabase(t);
  const links: unknown[] = [];
  const add = async (userId: string, isPublic: boolean, more: Partial<EventRow> = {}) => {
    await commitAndAggregate(db, [view(userId, 1, { deviceId: 'd', userId, isPublic, ...more })]);
    const [{ entries, linkedUser, owner }] = await findHistories(db, [lookup({ deviceId: 'd' })]);
    links.push([linkedUser, owner, [...new Set(entries.map(({ itemId }) => itemId))].join()]);
  };
  await add('ann', true);
  await add('eve', true);
  await add('ann', false, { itemId: undefined });
  await add('eve', true, { itemId: undefined });
  await add('bob', false);
  await add('ann', true);
  t.deepEqual(links, [
    ['ann', undefined, 'ann'],
    ['ann', undefined, 'ann'],
    ['ann', 'ann', 'ann'],
    ['ann', 'ann', 'ann'],
    ['bob', 'bob', 'bob'],
    ['bob', 'bob', 'bob'],
  ]);
});

test('of the events of one aggregation the trusted link counts, or else the first claim', async (t) => {
  const db = await createTestDatabase(t);
  const seen = (deviceId: string, userId: string, isPublic: boolean) =>
    view('a', 1, { deviceId, userId, isPublic });
  await commitAndAggregate(db, [
    seen('d1', 'eve', true),
    seen('d1', 'ann', false),
    seen('d1', 'eve', true),
    seen('d2', 'eve', true),
    seen('d2', 'ann', true),
  ]);
  const found = await findHistories(db, [lookup({ deviceId: 'd1' }), lookup({ deviceId: 'd2' })]);
  t.deepEqual(
    found.map(({ linkedUser, owner }) => [linkedUser, owner]),
    [
      ['ann', 'ann'],
      ['eve', undefined],
    ],
  );
});

test('histories of environments are separate', async (t) => {
  const db = await createTestDatabase(t);
  await commitAndAggregate(db, [
    view('a', 1, { deviceId: 'd' }),
    view('b', 1, { deviceId: 'd', environment: 'news' }),
  ]);
  const [shop, news] = await findHistories(db, [
    lookup({ deviceId: 'd' }),
    { environment: 'news', deviceId: 'd' },
  ]);
  t.deepEqual([shop.entries[0].itemId, news.entries[0].itemId], ['a', 'b']);
});

test('the last 300 events remain in order, for groups of any size', async (t) => {
  const db = await createTestDatabase(t);
  const groups = [1, 1, 1, 40, 1, 1, 90, 1, 30, 1, 1, 100, 1, 60, 1, 1];
  let seconds = 0;
  const expected: string[] = [];
  for (const size of groups) {
    const events = Array.from({ length: size }, () => {
      seconds += 1;
      expected.unshift(`item-${seconds}`);
      return view(`item-${seconds}`, seconds, { deviceId: 'd' });
    });
    await commitAndAggregate(db, events);
    const [history] = await findHistories(db, [lookup({ deviceId: 'd' })]);
    t.deepEqual(
      history.entries.map(({ itemId }) => itemId),
      expected.slice(0, 300),
    );
  }
});

test('late old events displace no newer ones', async (t) => {
  const db = await createTestDatabase(t);
  const eventsFrom = (start: number, count: number, name: string) =>
    Array.from({ length: count }, (_, i) =>
      view(`${name}-${i}`.padEnd(20, '.'), start + i, { deviceId: 'd' }),
    );
  await commitAndAggregate(db, eventsFrom(1_000_000, 300, 'new'));
  for (let round = 0; round < 10; round++)
    await commitAndAggregate(db, eventsFrom(round * 100, 100, `old-${round}`));
  const [{ entries }] = await findHistories(db, [lookup({ deviceId: 'd' })]);
  t.deepEqual(
    entries.map(({ itemId }) => itemId.split('-')[0]),
    new Array(300).fill('new'),
  );
});

test('fewer than 300 entries are kept if ids are very long, without cutting ids', async (t) => {
  const db = await createTestDatabase(t);
  const idOf = (at: number) => `${at}-`.padEnd(250, 'ü');
  for (let at = 0; at < 300; at += 20) {
    const events = Array.from({ length: 20 }, (_, i) => view(idOf(at + i), at + i, { userId: 'u' }));
    await commitAndAggregate(db, events);
  }
  const [{ entries }] = await findHistories(db, [lookup({ userId: 'u' })]);
  t.true(entries.length >= 80 && entries.length < 300);
  t.deepEqual(
    entries.map(({ itemId }) => itemId),
    entries.map((_, place) => idOf(299 - place)),
  );
});

test('ids may contain tabs, newlines and backslashes', async (t) => {
  const db = await createTestDatabase(t);
  const itemIds = ['a\tb', 'a\nb', 'a\\nb', '\\', '"{},NULL'];
  await commitAndAggregate(
    db,
    itemIds.map((itemId, index) => view(itemId, 10 - index, { deviceId: 'd\t"' })),
  );
  const [history] = await findHistories(db, [lookup({ deviceId: 'd\t"' })]);
  t.deepEqual(
    history.entries.map((entry) => entry.itemId),
    itemIds,
  );
});

test('impressions are stored separately, and read only on request', async (t) => {
  const db = await createTestDatabase(t);
  await commitAndAggregate(db, [
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

const changes: [name: string, event: EventRow][] = [
  ['an event of the user', view('b', 5, { userId: 'ann' })],
  ['an event of the device alone', view('b', 5, { deviceId: 'd' })],
  ['an impression of the user', view('b', 5, { userId: 'ann', eventType: 'impression' })],
  ['another user of the device', view('b', 5, { deviceId: 'd', userId: 'bob' })],
];

for (const [name, event] of changes) {
  test(`a cached history is read again only after a change: ${name}`, async (t) => {
    const db = await createTestDatabase(t);
    await commitAndAggregate(db, [
      view('a', 1, { deviceId: 'd', userId: 'ann' }),
      view('c', 1, { deviceId: 'd' }),
      view('x', 1, { userId: 'bob' }),
    ]);
    const asked = { ...lookup({ deviceId: 'd' }), withImpressions: true };
    const [{ version }] = await findHistories(db, [asked]);
    const again = { ...asked, knownVersion: version };
    t.deepEqual(await findChangedHistories(db, [again, again]), [undefined, undefined]);
    await commitAndAggregate(db, [event]);
    const [changed] = (await findChangedHistories(db, [again])) as History[];
    t.not(changed.version, version);
    t.deepEqual(changed, (await findHistories(db, [asked]))[0]);
  });
}

test('a subject in an unavailable bucket has no history; others in the same read have theirs', async (t) => {
  const db = await createTestDatabase(t);
  const bucketCount = await bucketCountOf(db);
  const people = Array.from({ length: 20 }, (_, i) => lookup({ deviceId: `d${i}`, userId: `u${i}` }));
  const away = bucketOf(bucketCount, 'shop', 'u:u0');
  const isAway = ({ deviceId, userId }: ReturnType<typeof lookup>) =>
    [`d:${deviceId}`, `u:${userId}`].some((id) => bucketOf(bucketCount, 'shop', id) === away);
  await commitAndAggregate(
    db,
    people.map((person) => view('sofa', 100, person)),
  );
  const found = await findChangedHistories(withoutBucket(db, away), people);
  t.is(new Set(people.map(isAway)).size, 2);
  for (const [i, history] of found.entries()) {
    if (isAway(people[i])) t.like(history, { reason: 'UNAVAILABLE' });
    else t.is((history as History).entries.length, 1);
  }
  await t.throwsAsync(findHistories(withoutBucket(db, away), people), {
    message: /not available at the moment/,
  });
});

test('the history of a deleted user is empty, even for a caller with a cached one', async (t) => {
  const db = await createTestDatabase(t);
  await commitAndAggregate(db, [view('a', 1, { userId: 'ann' })]);
  const [{ version }] = await findHistories(db, [lookup({ userId: 'ann' })]);
  await sql`delete from histories`.execute(db.kysely);
  const again = { ...lookup({ userId: 'ann' }), knownVersion: version };
  const [deleted] = (await findChangedHistories(db, [again])) as History[];
  t.deepEqual(deleted.entries, []);
});

/** Events of a device, with repetitions, impressions and changes of the user. */
const mixedEvents: EventRow[] = [
  view('a', 0, { deviceId: 'd' }),
  view('claimed', 1, { deviceId: 'd', userId: 'bob', isPublic: true }),
  view('claimed', 1, { deviceId: 'd', userId: 'ann', isPublic: true }),
  view('b', 2, { deviceId: 'd', userId: 'ann' }),
  view('b', 2, { deviceId: 'd', userId: 'ann' }),
  view('shown', 3, { deviceId: 'd', userId: 'ann', eventType: 'impression' }),
  view('shown to all', 3, { deviceId: 'd', eventType: 'impression' }),
  view('c', 1, { userId: 'bob' }),
  view('', 4, { deviceId: 'd', userId: 'bob', itemId: undefined }),
  view('d', 5, { deviceId: 'd', robot: true }),
  view('claimed', 5, { deviceId: 'd', userId: 'ann', isPublic: true }),
  view('e', 6, { deviceId: 'd' }),
  view('f', 5, { deviceId: 'd', userId: 'ann' }),
];

const everybody = [
  lookup({ deviceId: 'd' }),
  lookup({ userId: 'ann' }),
  lookup({ deviceId: 'd', userId: 'bob' }),
  { ...lookup({ deviceId: 'd' }), withImpressions: true },
];

const onDevices = everybody.filter((one) => 'deviceId' in one);

test('a node reads its own events at once, and equally before and after aggregation', async (t) => {
  const [db, aggregated] = [await createTestDatabase(t), await createTestDatabase(t)];
  const { pending, aggregation, commit } = await createTestNode(db);
  const withoutVersions = async (found: ReturnType<typeof findHistories>) =>
    (await found).map(({ version: _, ...history }) => history);
  for (const [turn, event] of mixedEvents.entries()) {
    await commit([event]);
    await commitAndAggregate(aggregated, [event]);
    /** Lines that leave a device reach the other devices of its user when they are aggregated. */
    const asked = turn % 3 === 0 ? everybody : onDevices;
    const expected = await withoutVersions(findHistories(aggregated, asked));
    const before = await withoutVersions(findHistories(db, onDevices, pending));
    t.deepEqual(before, await withoutVersions(findHistories(aggregated, onDevices)));
    const view = pending.view();
    if (turn % 3 === 0) await aggregation.catchUp();
    t.deepEqual(await withoutVersions(findHistories(db, asked, pending)), expected);
    /** As seen by a reader that began before the aggregation. */
    const early = { ...pending, view: () => view };
    t.deepEqual(await withoutVersions(findHistories(db, asked, early)), expected);
  }
});

test('of two events in the same second the later arrival is the newest, aggregated or not', async (t) => {
  const db = await createTestDatabase(t);
  const { commit, pending, aggregation } = await createTestNode(db);
  const identity = { deviceId: 'd', userId: 'u' };
  await commit([view('first', 7, identity)]);
  await aggregation.catchUp();
  await commit([view('second', 7, identity)]);
  const itemsFound = async () => {
    const [{ entries }] = await findHistories(db, [lookup(identity)], pending);
    return entries.map(({ itemId }) => itemId);
  };
  const before = await itemsFound();
  await aggregation.catchUp();
  t.deepEqual([before[0], (await itemsFound())[0]], ['second', 'second']);
});

test('a caller with a cached history gets each pending event', async (t) => {
  const db = await createTestDatabase(t);
  const { pending, commit } = await createTestNode(db);
  for (const event of mixedEvents) {
    const known = await findHistories(db, everybody, pending);
    const again = everybody.map((asked, i) => ({ ...asked, knownVersion: known[i].version }));
    t.deepEqual(
      await findChangedHistories(db, again, pending),
      everybody.map(() => undefined),
    );
    await commit([event]);
    const changed = (await findChangedHistories(db, again, pending)) as (History | undefined)[];
    const now = await findHistories(db, everybody, pending);
    t.deepEqual(
      changed.map((history, i) => (history ?? known[i]).entries),
      now.map(({ entries }) => entries),
    );
    t.deepEqual(
      changed.map((history, i) => (history ?? known[i]).linkedUser),
      now.map(({ linkedUser }) => linkedUser),
    );
  }
});
