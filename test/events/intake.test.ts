import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createEventIntake } from '../../src/events/intake.ts';
import type { Database } from '../../src/repository/database.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { findStreamOffsets } from '../../src/repository/events/stream-offsets.ts';
import { addPublication, publishEvents } from '../../src/repository/events/stream-publications.ts';
import { createTestDatabase } from '../support/database.ts';

const row = (eventId?: string): EventRow => ({
  environment: 'e',
  eventType: 'purchase',
  occurredAtMs: Date.now(),
  deviceId: 'd',
  robot: false,
  details: {},
  eventId,
});

test('each request gets the outcome of its own events, even if many share a commit', async (t) => {
  const intake = createEventIntake({ db: await createTestDatabase(t) });
  const requests = Array.from({ length: 50 }, (_, i) => [row(), row(`id ${i % 5}`), row(`own ${i}`)]);
  const answers = await Promise.all(requests.map((events) => intake.store(events)));
  t.true(answers.every(([unnamed, , own]) => unnamed && own));
  t.is(answers.filter(([, shared]) => shared).length, 5);
  t.is(intake.storedCount, 105);
});

test('a request that cannot be stored fails alone', async (t) => {
  const intake = createEventIntake({ db: await createTestDatabase(t) });
  const broken = row(randomBytes(50_000).toString('hex'));
  const [good, bad] = await Promise.allSettled([intake.store([row()]), intake.store([row('a'), broken])]);
  t.deepEqual(good, { status: 'fulfilled', value: [true] });
  t.is(bad.status, 'rejected');
  const again = [row('a'), row()];
  t.deepEqual((await intake.store(again)).length, 2, 'what has an id may be sent again');
});

const part = { group: 'g', topic: 't', topicId: 'x', partition: 0 };
const countEvents = async (db: Database) =>
  Number((await db.pool.query('select count(*) from events')).rows[0].count);

test('records of a stream are stored once with their offset, however often they are read', async (t) => {
  const db = await createTestDatabase(t);
  const intake = createEventIntake({ db });
  const range = { ...part, first: 0, next: 3 };
  t.is(await intake.storeRange(range, [row(), row('a'), row()]), 3);
  t.is(await intake.storeRange(range, [row(), row('a'), row()]), undefined);
  t.is(await intake.storeRange({ ...range, first: 2, next: 4 }, [row(), row()]), undefined, 'an overlap');
  t.is(await countEvents(db), 3);
  t.is(await intake.storeRange({ ...range, first: 5, next: 7 }, [row('a'), row('b')]), 1, 'a known id');
  t.is(await intake.storeRange({ ...range, first: 7, next: 8 }, []), 0);
  t.deepEqual(await findStreamOffsets(db, part), new Map([[0, 8]]));
  t.is(await intake.storeRange({ ...range, topicId: 'y' }, [row()]), 1, 'a topic that was created again');
  t.is(intake.storedCount, 5);
});

test('of readers of the same records only one stores them', async (t) => {
  const db = await createTestDatabase(t);
  const nodes = Array.from({ length: 4 }, () => createEventIntake({ db }));
  const range = { ...part, first: 0, next: 2 };
  const stored = await Promise.all(nodes.map((intake) => intake.storeRange(range, [row(), row('a')])));
  t.is(stored.filter((count) => count !== undefined).length, 1);
  t.is(await countEvents(db), 2);
});

test('an event that cannot be stored leaves the offset where it was', async (t) => {
  const db = await createTestDatabase(t);
  const intake = createEventIntake({ db });
  const broken = { ...row(), occurredAtMs: Number.NaN };
  await t.throwsAsync(intake.storeRange({ ...part, first: 0, next: 2 }, [row(), broken]));
  t.deepEqual(await findStreamOffsets(db, part), new Map());
  t.is(await countEvents(db), 0);
});

test('events are published in their order from where the last publication ended', async (t) => {
  const db = await createTestDatabase(t);
  const intake = createEventIntake({ db });
  const publication = { topic: 'out', environment: 'e' };
  await intake.store([row('before')]);
  await addPublication(db, publication);
  const send = async () => {
    const sent: unknown[] = [];
    await publishEvents(
      db,
      publication,
      async (events) => void sent.push(...events.map(({ details }) => details)),
    );
    return sent;
  };
  const numbered = (n: number) => ({ ...row(), details: { n } });
  await intake.store([numbered(1), numbered(2)]);
  const failing = publishEvents(db, publication, async () => {
    throw new Error('The broker is down.');
  });
  await t.throwsAsync(failing);
  t.deepEqual(await send(), [{ n: 1 }, { n: 2 }]);
  await addPublication(db, publication);
  await intake.store([numbered(3)]);
  t.deepEqual(await send(), [{ n: 3 }]);
  t.deepEqual(await send(), []);
});
