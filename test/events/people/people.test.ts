/** Deletions in isolation: many events, failures, restored backups. */

import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createDeletionFollower } from '../../../src/events/people/deletion-follower.ts';
import { createPeople } from '../../../src/events/people/people.ts';
import { createRequestRecorder } from '../../../src/events/request-recorder.ts';
import { createServedCalls } from '../../../src/events/served-calls.ts';
import { createQueryCounts } from '../../../src/handlers/searches/queries/query-counts.ts';
import { createTypedQueries } from '../../../src/handlers/searches/queries/typed-queries.ts';
import { createClickFolding } from '../../../src/handlers/searches/replica/click-counts.ts';
import { createAudienceIndex } from '../../../src/jobs/audiences/audience-index.ts';
import type { Forgetting } from '../../../src/ranking/runtime/forgetting.ts';
import { requestIdOf } from '../../../src/ranking/search/serving/query-fingerprint.ts';
import { type Database, translateError } from '../../../src/repository/database.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { streamEvents } from '../../../src/repository/events/event-stream.ts';
import { findHistories } from '../../../src/repository/events/histories.ts';
import { insertLists } from '../../../src/repository/kept/lists.ts';
import {
  completeDeletion,
  insertDeletion,
  listDeletions,
  readReceipt,
} from '../../../src/repository/people/deletions.ts';
import { createMarker } from '../../../src/repository/people/marks.ts';
import { replayDeletions } from '../../../src/repository/people/replay-deletions.ts';
import { foldSearchEvents } from '../../../src/repository/search/search-clicks.ts';
import { addQueryCounts } from '../../../src/repository/search/search-queries.ts';
import { addTypedQueries } from '../../../src/repository/search/typed-queries.ts';
import { visitorMark, witnessMark } from '../../../src/repository/search/visitor-mark.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTestNode, type TestNode } from '../../support/events.ts';
import { findTables } from '../../support/table-scan.ts';

const logger = createLogger('silent');

const victim = 'victim-4711';
const device = 'gadget-4711';
const environment = 'shop';

const eventOf = (fields: Partial<EventRow>): EventRow => ({
  environment,
  eventType: 'detail_pageview',
  occurredAtMs: Date.now(),
  itemType: 'product',
  itemId: 'lamp',
  robot: false,
  details: {},
  ...fields,
});

const searchId = requestIdOf(77);

/** One event of each kind with different traces. */
const leavings = (who: Partial<EventRow>): EventRow[] => [
  eventOf({ ...who, userId: undefined, eventType: 'page_visit', itemId: undefined, itemType: undefined }),
  eventOf({ ...who, eventType: 'impression', requestId: `answer of ${who.userId}` }),
  eventOf({ ...who, eventType: 'click_on_recommendation' }),
  eventOf({
    ...who,
    eventType: 'purchase',
    eventId: `order of ${who.userId}`,
    details: { purchased_price: 3 },
  }),
  eventOf({ ...who, eventType: 'search_click_on_recommendation', requestId: searchId }),
];

async function plant(db: Database, node: TestNode): Promise<void> {
  await node.commit([
    ...leavings({ userId: victim, deviceId: device }),
    ...leavings({ userId: 'other', deviceId: 'phone' }),
  ]);
  await node.aggregation.catchUp();
  const payload = JSON.stringify({ kind: 'recommendations', deviceId: device, userId: victim, items: [] });
  const expiresAt = new Date(Date.now() + 60_000);
  await insertLists(db, [{ environment, listKey: 'list', expiresAt, payload }]);
  while (await foldSearchEvents(db, environment, createClickFolding()));
  await addTypedQueries(db, [
    { environment, subject: `u:${victim}`, queries: ['lamp'] },
    { environment, subject: `d:${device}`, linkedUser: victim, queries: ['lamp'] },
    { environment, subject: 'd:phone', linkedUser: victim, queries: ['lamp'] },
    { environment, subject: 'u:other', queries: ['lamp'] },
  ]);
}

const eventCountOf = async (db: Database): Promise<number> => {
  let count = 0;
  for await (const events of streamEvents(db, environment)) count += events.length;
  return count;
};

async function start(t: ExecutionContext) {
  const db = await createTestDatabase(t);
  const node = await createTestNode(db);
  const people = createPeople({ db, catchUp: node.aggregation.catchUp });
  return { db, node, people };
}

const person = { environment, kind: 'user', id: victim } as const;

/** The same database with one failing call. */
function failingAt(db: Database, call: number): Database & { readonly calls: number } {
  let calls = 0;
  const fail = () => {
    if (calls++ === call) throw translateError(Object.assign(new Error('gone'), { code: '57P01' }));
  };
  const pool = new Proxy(db.pool, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'query' && name !== 'connect')
        return typeof value === 'function' ? value.bind(target) : value;
      return async (...given: unknown[]) => {
        fail();
        return value.apply(target, given);
      };
    },
  });
  return {
    ...db,
    pool,
    get calls() {
      return calls;
    },
  };
}

test('a deletion that fails at any statement is completed by the next one', async (t) => {
  const { db, node } = await start(t);
  await plant(db, node);
  let failures = 0;
  let isDone = false;
  for (let call = 0; !isDone; call += 2) {
    const failing = failingAt(db, call);
    const people = createPeople({ db: failing, catchUp: async () => undefined, settleMs: 0 });
    isDone = await people.delete(person).then(
      () => true,
      () => {
        failures += 1;
        return false;
      },
    );
  }
  t.true(failures > 10, `it broke off ${failures} times`);
  t.deepEqual(await findTables(db, [victim, device]), []);
  const receipts = await listDeletions(db);
  t.is(receipts.length, 1, 'those that broke off are done with the last one');
  t.is(await eventCountOf(db), 5);
});

test('a user with many events is deleted in batches, and aggregation continues', async (t) => {
  const { db, node, people } = await start(t);
  await plant(db, node);
  const many = Array.from({ length: 21_000 }, (_, i) =>
    eventOf({ userId: victim, itemId: `item ${i % 50}` }),
  );
  for (let i = 0; i < many.length; i += 3_000) await node.commit(many.slice(i, i + 3_000));
  await node.aggregation.catchUp();
  const sizes: number[] = [];
  for await (const records of people.export(person)) sizes.push(records.length);
  t.true(Math.max(...sizes) <= 1_000);
  const deletion = await people.delete(person);
  t.is(deletion.deleted.events, 21_005);
  t.deepEqual(await findTables(db, [victim, device]), []);
  t.is(await eventCountOf(db), 5);

  const later = await createTestNode(db, { lane: 2 });
  await later.commit(leavings({ userId: victim, deviceId: device }));
  await later.aggregation.catchUp();
  const [history] = await findHistories(db, [{ environment, userId: victim }]);
  t.is(history.entries.length, 3, 'what comes afterwards is new');
  const { rows } = await db.pool.query(
    `select sum(events)::int as events from metric_totals where dimension = 0 and environment = $1`,
    [environment],
  );
  t.is(rows[0].events, 21_015, 'sums stay, and go on');
  while (await foldSearchEvents(db, environment, createClickFolding()));
});

test('data that outlived its events is deleted, too', async (t) => {
  const { db, node, people } = await start(t);
  await plant(db, node);
  await db.pool.query('delete from events');
  await db.pool.query('delete from event_claims');
  const left = await findTables(db, [victim, device]);
  for (const table of ['histories', 'metric_clicks', 'metric_purchases', 'metric_devices'])
    t.true(left.includes(table), table);
  await people.delete(person);
  t.deepEqual(
    (await findTables(db, [victim, device])).filter((table) => table !== 'metric_keys'),
    [],
  );
});

const exportOf = async (people: ReturnType<typeof createPeople>, kind: 'user' | 'device', id: string) => {
  const records: { record: string; event?: object }[] = [];
  for await (const some of people.export({ environment, kind, id })) records.push(...some);
  return records;
};

test('a claim by an untrusted event gives no access to the data of a device', async (t) => {
  const { db, node, people } = await start(t);
  const view = (who: Partial<EventRow>) => eventOf({ ...who, details: { who } });
  await node.commit([
    view({ deviceId: device }),
    view({ deviceId: device, userId: 'thief', isPublic: true }),
    view({ deviceId: device, isPublic: true }),
    view({ deviceId: "the thief's", userId: victim, isPublic: true }),
    view({ userId: victim }),
  ]);
  const eventsOf = async (kind: 'user' | 'device', id: string) =>
    (await exportOf(people, kind, id)).flatMap(({ event }) => event ?? []);
  t.deepEqual(await eventsOf('user', 'thief'), [
    { who: { deviceId: device, userId: 'thief', isPublic: true } },
  ]);
  t.is((await eventsOf('device', device)).length, 3);
  t.is((await eventsOf('device', "the thief's")).length, 1, 'and nothing else of its user');
  const history = (await exportOf(people, 'device', device)).find(({ record }) => record === 'history');
  t.like(history, { claimed_user_id: 'thief', linked_user_id: undefined });

  const { deleted } = await people.delete({ environment, kind: 'user', id: 'thief' });
  t.like(deleted, { events: 1, claims: 1, histories: 1 });
  t.is((await eventsOf('device', device)).length, 2, 'the device keeps its own');
  t.is((await findHistories(db, [{ environment, deviceId: device }]))[0].entries.length, 2);
  t.is((await findHistories(db, [{ environment, deviceId: device }]))[0].linkedUser, undefined);

  await people.delete({ environment, kind: 'user', id: victim });
  t.deepEqual(await eventsOf('user', victim), []);
  t.deepEqual(
    (await findTables(db, [victim])).filter((table) => table !== 'metric_keys'),
    [],
  );
});

test('two concurrent deletions of one subject both get receipts', async (t) => {
  const { db, node, people } = await start(t);
  await plant(db, node);
  const both = await Promise.all([people.delete(person), people.delete(person)]);
  t.is(new Set(both.map(({ receiptId }) => receiptId)).size, 2);
  t.is(
    both.reduce((sum, { deleted }) => sum + (deleted.events ?? 0), 0),
    5,
  );
  t.deepEqual(await findTables(db, [victim, device]), []);
  const kept = await listDeletions(db);
  t.is(kept.length, 2);
  t.true(kept.every(({ completedAt }) => completedAt !== null));
});

test('a listing of receipts continues after its last entry, even if that one was superseded', async (t) => {
  const { db, people } = await start(t);
  const begun = { receiptId: randomUUID(), environment, kind: 'user', subjects: ['a mark'] } as const;
  const { receiptId: earlier } = await people.delete(person);
  await insertDeletion(db, { ...begun, subjects: [...begun.subjects] });
  const { receiptId: later } = await people.delete({ ...person, id: 'other' });
  const first = await listDeletions(db, { limit: 2 });
  t.deepEqual(
    first.map(({ receiptId }) => receiptId),
    [earlier, begun.receiptId],
  );
  const again = { ...begun, subjects: [...begun.subjects], receiptId: randomUUID() };
  await completeDeletion(db, again, {});
  const { requestedAtUs, receiptId } = first[1];
  const rest = await listDeletions(db, { after: [requestedAtUs, receiptId] });
  t.deepEqual(
    rest.map((deletion) => deletion.receiptId),
    [later, again.receiptId],
  );
});

/** A visitor without a network. */
const witness = (visitor: string): Buffer =>
  witnessMark({ visitor }, { key: '', environment, query: 'lamp' });

test('a paused node writes its buffers without subjects that were deleted meanwhile', async (t) => {
  const { db, node, people } = await start(t);
  await plant(db, node);
  const forgetting: Forgetting = new Set();
  const { follow: forgetDeleted } = createDeletionFollower({ db, forgetting, logger });
  const holding = { db, forgetting, forgetDeleted, logger };
  const search = { day: 20_000, isFound: true, isCorrected: false };
  const recorder = createRequestRecorder(holding);
  const typedQueries = createTypedQueries(holding);
  const queryCounts = createQueryCounts(holding);
  const servedCalls = createServedCalls({ ...holding, clock: Date.now });
  for (const [userId, deviceId] of [
    [victim, device],
    ['other', 'phone'],
  ]) {
    recorder.record(environment, () => ({ user_id: userId, device_id: deviceId }));
    typedQueries.record({ environment, userId, deviceId, isRobot: false }, 'lamp');
    queryCounts.record(environment, { typed: 'lamp', folded: 'lamp' }, search, { visitor: `u${userId}` });
    const group = { userGroup: 'recommender', version: 'A' };
    servedCalls.count({ environment, kind: 'recommendations', deviceId, ...group });
  }
  await people.delete(person);
  for (const { flush } of [recorder, typedQueries, queryCounts, servedCalls]) await flush();
  t.deepEqual(await findTables(db, [victim, device]), []);
  const { rows } = await db.pool.query('select searches, witnesses from search_queries');
  t.deepEqual(rows, [{ searches: 2, witnesses: witness('uother') }]);
  const left = await findTables(db, ['phone', 'other']);
  for (const table of ['recorded_requests', 'typed_queries', 'metric_exposures'])
    t.true(left.includes(table), table);
});

test('the marks of a deleted visitor are removed from search statistics, and the counts stay', async (t) => {
  const { db, node, people } = await start(t);
  await plant(db, node);
  const read = async () =>
    (await db.pool.query('select clicks, clickers from search_clicks')).rows as {
      clicks: number;
      clickers: Buffer;
    }[];
  const [before] = await read();
  t.is(before.clickers.length, 8);
  const witnesses = Buffer.concat([`u${victim}`, 'uother'].map(witness));
  const asked = { environment, query: 'lamp', fingerprint: 77, searches: 2, withoutResults: 0, witnesses };
  await addQueryCounts(db, [asked]);
  await people.delete(person);
  const [after] = await read();
  t.deepEqual(after.clickers, visitorMark('uother'));
  t.is(after.clicks, before.clicks);
  const { rows } = await db.pool.query('select searches, witnesses from search_queries');
  t.deepEqual(rows, [{ searches: 2, witnesses: witness('uother') }]);
});

test('deletions after a backup are repeated in its restored database', async (t) => {
  const { db, node, people } = await start(t);
  await plant(db, node);
  await people.delete(person);
  const [{ receiptId, kind, subjects, requestedAt }] = await listDeletions(db);
  const line = JSON.stringify({
    receipt_id: receiptId,
    environment,
    kind,
    marks: subjects,
    request_time: requestedAt,
  });
  t.false(line.includes(victim));
  /** The backup has the subject, but not the receipt. */
  await plant(db, node);
  await db.pool.query('delete from deletions');
  t.true((await findTables(db, [victim])).length > 0);
  t.is(await replayDeletions(db, [readReceipt(line)]), 1);
  t.deepEqual(await findTables(db, [victim, device]), []);
  t.is(await eventCountOf(db), 9, 'the other user remains, with an event ID sent twice');
  t.is(await replayDeletions(db, [readReceipt(line)]), 0, 'what is done is not done again');
});

test('the index of audiences forgets subjects by their pseudonyms', async (t) => {
  const db = await createTestDatabase(t);
  const marker = await createMarker(db);
  const index = createAudienceIndex({ integrationTypes: new Set() });
  index.add({ eventType: 'detail_pageview', userId: victim, itemId: 'lamp', atSeconds: 1 });
  index.add({ eventType: 'detail_pageview', userId: 'other', itemId: 'lamp', atSeconds: 1 });
  const isGone = marker.among([marker.markOf(environment, `u:${victim}`)]);
  index.subjects.forget((key) => isGone(environment, key));
  t.is(index.subjects.find({ id: victim, userType: 'user_id' }), -1);
  t.is(index.subjects.find({ id: 'other', userType: 'user_id' }), 1);
  t.deepEqual([...index.subjects.forgotten], [0]);
});

test('a deletion fails when the node cannot write its buffers in time', async (t) => {
  const db = await createTestDatabase(t);
  const never = { flush: () => new Promise<void>(() => undefined) };
  const options = { db, catchUp: async () => undefined, settleMs: 0, patienceMs: 1 };
  const waiting = createPeople({ ...options, holders: [never] });
  await t.throwsAsync(waiting.delete(person), { message: /repeat the deletion/ });
  const again = createPeople({ ...options, holders: [{ flush: async () => undefined }], patienceMs: 60_000 });
  t.truthy((await again.delete(person)).completedAt);
});

test('a user goes with what was done on a device until signing out, and nothing after it', async (t) => {
  const { db, node, people } = await start(t);
  const onDevice = (more: Partial<EventRow>) =>
    eventOf({ deviceId: device, itemId: undefined, itemType: undefined, ...more });
  const signOut = { eventType: 'user_interaction', details: { interaction_type: 'sign_out' } };
  const steps = [
    { userId: 'before' },
    { details: { of: 'before' } },
    { userId: victim },
    { details: { of: victim } },
    signOut,
    { details: { of: 'next' } },
  ];
  for (const step of steps) await node.commit([onDevice(step)]);
  const ofRest = async () => {
    const details: unknown[] = [];
    for await (const events of streamEvents(db, environment, { withDetails: true }))
      details.push(...events.flatMap((event) => (event.details as { of?: string }).of ?? []));
    return details;
  };
  const exported = [];
  for await (const records of people.export(person)) exported.push(...records);
  t.is(exported.filter(({ record }) => record === 'event').length, 3);
  await people.delete(person);
  t.deepEqual(await ofRest(), ['before', 'next']);
  await people.delete({ environment, kind: 'user', id: 'before' });
  t.deepEqual(await ofRest(), ['next']);
  await people.delete({ environment, kind: 'device', id: device });
  t.deepEqual(await findTables(db, [victim, device, 'before']), []);
});
