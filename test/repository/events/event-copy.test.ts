import test from 'ava';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { type CopiedEvent, copyEvents } from '../../../src/repository/events/event-copy.ts';
import { listEventRanges } from '../../../src/repository/events/event-ranges.ts';
import type { Position } from '../../../src/repository/feeds.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';

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

async function copyAll(db: TestDatabase, since: Position = {}): Promise<CopiedEvent[]> {
  const copied: CopiedEvent[] = [];
  const ranges = await listEventRanges(db, since);
  await copyEvents(db, environment, { ranges }, (one) => copied.push(one));
  return copied;
}

test('an event has the fields that training needs, and missing ones are undefined', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    event({ userId: 'ü\t\\N', deviceId: 'd', pageType: 'home', channel: 'app' }),
    event({ deviceId: 'd', eventType: 'checkpoint', itemType: undefined, details: { progress: 0.25 } }),
    event({ eventType: 'checkpoint', itemId: '', details: { progress: 'much' } }),
    event({ eventType: 'item_interaction', details: { interaction_type: 'Thumbs "down"' } }),
    event({ eventType: 'item_interaction', details: { interaction_type: 'thumbs down', rating: null } }),
  ]);
  const common = { itemType: 'product', itemId: 'a', timeSeconds: 1_700_000_000.25 };
  const nothing = {
    subjectKey: undefined,
    pageType: undefined,
    channel: undefined,
    qualifier: undefined,
    properties: undefined,
  };
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
      qualifier: '25',
    },
    { ...nothing, ...common, itemId: '', eventType: 'checkpoint' },
    { ...nothing, ...common, eventType: 'item_interaction' },
    { ...nothing, ...common, eventType: 'item_interaction', qualifier: 'negative' },
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

test('many events are read completely and in order of arrival, across any chunks', async (t) => {
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
    (await copyAll(db, { '1.1': 8_990 })).map(({ itemId }) => itemId),
    ids.slice(8_990),
  );
});

test('events before a time are left out, and progress ends with the last range', async (t) => {
  const db = await createTestDatabase(t);
  for (const lane of [1, 2, 3]) {
    await commitEvents(
      db,
      [-1, 0, 1].map((ms) => event({ itemId: `${lane}/${ms}`, occurredAtMs: 1_700_000_000_000 + ms })),
      { lane },
    );
  }
  const shares: number[] = [];
  const copied: string[] = [];
  const options = {
    ranges: await listEventRanges(db),
    occurredSince: new Date(1_700_000_000_000),
    onProgress: (share: number) => void shares.push(share),
  };
  await copyEvents(db, environment, options, ({ itemId }) => copied.push(itemId));
  t.deepEqual(copied, ['1/0', '1/1', '2/0', '2/1', '3/0', '3/1']);
  t.deepEqual(shares, [1 / 3, 2 / 3, 1]);
});

test('no ranges give no events', async (t) => {
  t.deepEqual(await copyAll(await createTestDatabase(t)), []);
});

test('a failing reader leaves the connection usable, and its error is thrown', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(
    db,
    Array.from({ length: 1_000 }, (_, i) => event({ itemId: `${i}` })),
  );
  const ranges = await listEventRanges(db);
  await t.throwsAsync(
    copyEvents(db, environment, { ranges }, () => {
      throw new Error('no room');
    }),
  );
  t.is((await copyAll(db)).length, 1_000);
  await db.kysely.schema.dropTable('events').execute();
  await t.throwsAsync(copyAll(db), { name: 'DomainError' });
});
