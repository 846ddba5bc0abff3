import test, { type ExecutionContext } from 'ava';
import { createProgress } from '../../../src/jobs/training/progress.ts';
import { trainEnvironment } from '../../../src/jobs/training/train-environment.ts';
import { allStrings } from '../../../src/ranking/models/arrays/string-table.ts';
import { unpackModels } from '../../../src/ranking/models/artefact.ts';
import { runRowsHere } from '../../../src/ranking/models/row-stages.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { upsertItems } from '../../../src/repository/items/items.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';

const environment = 'e';
const nowMs = Date.parse('2025-06-01T00:00:00Z');

const tools = {
  progress: createProgress(() => undefined),
  runRows: runRowsHere,
  findServed: async () => undefined,
};

const view = (itemId: string, rest: Partial<EventRow> = {}): EventRow => ({
  environment,
  eventType: 'detail_pageview',
  occurredAtMs: nowMs - 60_000,
  itemType: 'article',
  itemId,
  robot: false,
  details: {},
  ...rest,
});

const stock = (db: TestDatabase, ...ids: string[]) =>
  upsertItems(
    db,
    ids.map((itemId) => ({ environment, itemType: 'article', itemId, document: { title: itemId } })),
  );

async function train(t: ExecutionContext, db: TestDatabase, eventWeights: Record<string, number> = {}) {
  const options = { environment, nowMs, learns: true, mostEvents: 1_000_000, eventWeights };
  const { buffer, itemCount, eventCount } = await trainEnvironment(db, options, tools);
  const unpacked = unpackModels(buffer!);
  if (!unpacked.ok) throw new Error(unpacked.reason);
  const keys = allStrings(unpacked.models.itemKeys).map((key) => key.split('\u0000')[1]);
  const { offsets, items } = unpacked.models.coVisits!;
  t.is(keys.length, itemCount);
  /** Ids of items that are related to others. */
  const neighboursOf = (id: string) => {
    const local = keys.indexOf(id);
    return Array.from(items.subarray(offsets[local], offsets[local + 1]), (item) => keys[item]);
  };
  const fallback = Array.from(unpacked.models.fallbackOrder!, (item) => keys[item]);
  const clickThroughOf = (id: string) => unpacked.models.clickThrough!.scores[keys.indexOf(id)];
  return { keys, eventCount, neighboursOf, fallback, clickThroughOf };
}

test('an empty environment can be trained', async (t) => {
  const { keys, eventCount, fallback } = await train(t, await createTestDatabase(t));
  t.deepEqual({ keys, eventCount, fallback }, { keys: [], eventCount: 0, fallback: [] });
});

test('items with events of one user or device are related', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a', 'b', 'c', 'd');
  await commitEvents(db, [
    view('a', { userId: 'u', deviceId: 'x' }),
    view('b', { userId: 'u', deviceId: 'y' }),
    view('c', { deviceId: 'x' }),
    view('d', { deviceId: 'x' }),
  ]);
  const { neighboursOf, eventCount } = await train(t, db);
  t.is(eventCount, 4);
  t.deepEqual(neighboursOf('a'), ['b']);
  t.deepEqual(neighboursOf('c'), ['d']);
});

test('events without an identity count in trends, and relate no items', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a', 'b', 'c');
  await commitEvents(db, [
    view('a', { deviceId: 'anonymous' }),
    view('b', { deviceId: 'anonymous' }),
    view('b', { deviceId: 'anonymous' }),
  ]);
  const { neighboursOf, fallback } = await train(t, db);
  t.deepEqual(neighboursOf('a'), []);
  t.deepEqual(fallback, ['b', 'a', 'c']);
});

test('events of robots are no evidence', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a', 'b');
  await commitEvents(db, [
    view('a', { deviceId: 'd', robot: true }),
    view('b', { deviceId: 'd', robot: true }),
  ]);
  const { eventCount, neighboursOf } = await train(t, db);
  t.is(eventCount, 0);
  t.deepEqual(neighboursOf('a'), []);
});

test('other environments are not used', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  await upsertItems(db, [{ environment: 'other', itemType: 'article', itemId: 'z', document: {} }]);
  await commitEvents(db, [view('z', { environment: 'other', deviceId: 'd' })]);
  const { keys, eventCount } = await train(t, db);
  t.deepEqual(keys, ['a']);
  t.is(eventCount, 0);
});

test('events may name items that are not in the catalogue yet', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  await commitEvents(db, [view('a', { deviceId: 'd' }), view('later', { deviceId: 'd', itemType: '' })]);
  const { keys, neighboursOf } = await train(t, db);
  t.deepEqual(keys, ['a', 'later']);
  t.deepEqual(neighboursOf('later'), ['a']);
});

test('an event type with weight 0 is not used', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a', 'b');
  const events = ['a', 'b'].map((itemId) => view(itemId, { userId: 'u' }));
  await commitEvents(db, [...events, view('b', { userId: 'v', eventType: 'purchase' })]);
  const { eventCount, neighboursOf } = await train(t, db, { detail_pageview: 0 });
  t.is(eventCount, 1);
  t.deepEqual(neighboursOf('a'), []);
});

/** Ten subjects view each item: `b` after impressions, `a` beside ten ignored impressions. */
const shownEvents = () =>
  Array.from({ length: 10 }, (_, person) => {
    const impression = { eventType: 'impression', occurredAtMs: nowMs - 120_000 };
    return [
      view('a', { userId: `a${person}` }),
      view('b', { userId: `b${person}`, ...impression }),
      view('b', { userId: `b${person}` }),
      view('a', { userId: `c${person}`, ...impression }),
    ];
  }).flat();

test('ignored items trend less than items viewed after an impression', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a', 'b');
  await commitEvents(db, shownEvents());
  const { fallback, eventCount } = await train(t, db);
  t.is(eventCount, 20);
  t.deepEqual(fallback, ['b', 'a']);
  const without = await train(t, db, { impression: 0 });
  t.deepEqual(without.fallback, ['a', 'b']);
});

test('impressions are answered by later events in any bucket', async (t) => {
  const people = Array.from({ length: 60 }, (_, person) => `u${person}`);
  const did = (minutesAgo: number, eventType: string, itemId: string, userId: string) =>
    view(itemId, { eventType, userId, occurredAtMs: nowMs - minutesAgo * 60_000 });
  const events = people.flatMap((person) => [
    did(5_000, 'detail_pageview', 'known', person),
    ...['clicked', 'known', 'ignored'].map((itemId) => did(100, 'impression', itemId, person)),
    did(99, 'click_on_recommendation', 'clicked', person),
  ]);
  const scores = async (withIds: boolean) => {
    const db = await createTestDatabase(t);
    await stock(db, 'clicked', 'known', 'ignored');
    /** Events with an id lie in the bucket of their id. */
    await commitEvents(
      db,
      events.map((event, place) => (withIds ? { ...event, eventId: `e${place}` } : event)),
    );
    const { clickThroughOf } = await train(t, db);
    return ['clicked', 'known', 'ignored'].map(clickThroughOf);
  };
  const [clicked, known, ignored] = await scores(false);
  t.true(clicked > 0 && known < 0 && known === ignored);
  t.deepEqual(await scores(true), [clicked, known, ignored]);
});

type VectorWorld = {
  /** Six items of each of 200 subjects, in order. */
  itemsOf(subject: number): number[];
  vectorOf(item: number): number[];
};

const subjects = Array.from({ length: 200 }, (_, subject) => subject);

/** Trains a world of up to 1,200 items with the declared vector `look`, and without it. */
async function trainVectors(t: ExecutionContext, { itemsOf, vectorOf }: VectorWorld) {
  const db = await createTestDatabase(t);
  const documents = Array.from({ length: 1_200 }, (_, item) => ({ title: `i${item}`, look: vectorOf(item) }));
  await upsertItems(
    db,
    documents.map((document) => ({ environment, itemType: 'article', itemId: document.title, document })),
  );
  const events = subjects.flatMap((subject) =>
    itemsOf(subject).map((item, at) => {
      const occurredAtMs = nowMs - (1_200 - at * 200 - subject) * 60_000;
      return view(`i${item}`, { userId: `u${subject}`, occurredAtMs });
    }),
  );
  await commitEvents(db, events);
  const definition = { name: 'look', dimensions: 16, metric: 'cosine' as const };
  const options = { environment, nowMs, learns: true, mostEvents: 1_000_000 };
  const trained = async (vectors: ReadonlyMap<string, typeof definition>) => {
    const { buffer, learntBlend } = await trainEnvironment(db, { ...options, vectors }, tools);
    const unpacked = unpackModels(buffer!);
    if (!unpacked.ok) throw new Error(unpacked.reason);
    const quality = learntBlend?.quality ?? 0;
    return { quality, weight: learntBlend?.models.vectors?.weight, tables: unpacked.models };
  };
  return [await trained(new Map([['look', definition]])), await trained(new Map())] as const;
}

/** Returns 16 numbers that look random. */
const noise = (seed: number) =>
  Array.from({ length: 16 }, (_, place) => (Math.sin((seed * 16 + place) * 12.9898) * 43_758.5453) % 1);

test('vectors get a weight where they predict what nothing else does', async (t) => {
  const [withVectors, without] = await trainVectors(t, {
    itemsOf: (subject) => [0, 1, 2, 3, 4, 5].map((at) => at * 200 + subject),
    /** Items of one subject have similar vectors; nobody else views them. */
    vectorOf(item) {
      const own = noise(item + 999);
      return noise(item % 200).map((value, place) => value + own[place] / 10);
    },
  });
  t.true(withVectors.weight! > 0);
  t.true(withVectors.quality > without.quality + 0.5, `${withVectors.quality} and ${without.quality}`);
  t.is(without.tables.vectors, undefined);
});

test('vectors without meaning leave lists as good as they were', async (t) => {
  const [withVectors, without] = await trainVectors(t, {
    /** Ten subjects share twelve items. */
    itemsOf: (subject) => [0, 1, 2, 3, 4, 5].map((at) => (subject % 20) * 12 + ((subject + at * 5) % 12)),
    vectorOf: noise,
  });
  t.true(without.quality > 0.2, String(without.quality));
  t.true(
    Math.abs(withVectors.quality - without.quality) < 0.03,
    `${withVectors.quality}, ${without.quality}`,
  );
  t.true(withVectors.weight! < 0.05, String(withVectors.weight));
});
