import test from 'ava';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { type CopiedEvent, copyEvents } from '../../../src/repository/events/event-copy.ts';
import { commitEvents, findSettledSequence } from '../../../src/repository/events/events.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const environment = "shop'; drop table events; --\\";

const event = (rest: Partial<EventRow> = {}): EventRow => ({
  environment,
  eventType: 'detail_pageview',
  occurredAtMs: 1_700_000_000_250,
  itemType: 'product',
  itemId: 'a',
  robot: false,
  details: {},
  ...rest,
});

async function copyAll(db: TestDatabase, sinceSequence = 0): Promise<CopiedEvent[]> {
  const copied: CopiedEvent[] = [];
  const untilSequence = await findSettledSequence(db);
  await copyEvents(db, environment, { sinceSequence, untilSequence }, (one) => copied.push(one));
  return copied;
}

test('an event comes with what training needs, and what it lacks is undefined', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    event({ userId: 'ü\t\\N', deviceId: 'd', pageType: 'home', channel: 'app' }),
    event({ deviceId: 'd', eventType: 'checkpoint', itemType: undefined, details: { progress: 0.25 } }),
    event({ eventType: 'checkpoint', itemId: '', details: { progress: 'much' } }),
  ]);
  const common = { itemType: 'product', itemId: 'a', timeSeconds: 1_700_000_000.25 };
  const nothing = { subjectKey: undefined, pageType: undefined, channel: undefined, progress: undefined };
  t.deepEqual(await copyAll(db), [
    {
      ...nothing,
      ...common,
      subjectKey: 'u:ü\t\\N',
      eventType: 'detail_pageview',
      pageType: 'home',
      channel: 'app',
    },
    {
      ...nothing,
      ...common,
      subjectKey: 'd:d',
      eventType: 'checkpoint',
      itemType: undefined,
      progress: 0.25,
    },
    { ...nothing, ...common, itemId: '', eventType: 'checkpoint' },
  ]);
});

test('robots, events without an item and other environments are left out', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    event({ robot: true }),
    event({ itemId: undefined }),
    event({ environment: 'other' }),
    event({ itemId: 'kept' }),
  ]);
  t.deepEqual(
    (await copyAll(db)).map(({ itemId }) => itemId),
    ['kept'],
  );
});

test('many events come whole and in order of arrival, however the bytes were cut', async (t) => {
  const db = await createTestDatabase(t);
  const ids = Array.from({ length: 9_000 }, (_, i) => `${i}-${'ä'.repeat((i * 7) % 300)}`);
  for (let start = 0; start < ids.length; start += 1_000)
    await commitEvents(
      db,
      ids.slice(start, start + 1_000).map((itemId) => event({ itemId })),
    );
  t.deepEqual(
    (await copyAll(db)).map(({ itemId }) => itemId),
    ids,
  );
  t.deepEqual(
    (await copyAll(db, 8_990)).map(({ itemId }) => itemId),
    ids.slice(8_990),
  );
});

test('nothing is nothing', async (t) => {
  t.deepEqual(await copyAll(await createTestDatabase(t)), []);
});

test('a reader that fails leaves the connection usable, and the failure is told', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(
    db,
    Array.from({ length: 1_000 }, (_, i) => event({ itemId: `${i}` })),
  );
  const range = { sinceSequence: 0, untilSequence: 1_000 };
  await t.throwsAsync(
    copyEvents(db, environment, range, () => {
      throw new Error('no room');
    }),
  );
  t.is((await copyAll(db)).length, 1_000);
  await db.kysely.schema.dropTable('events').execute();
  await t.throwsAsync(copyAll(db), { name: 'DomainError' });
});
