import test from 'ava';
import {
  type AudienceEventRow,
  copyAudienceEvents,
} from '../../../src/repository/audiences/audience-events.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { listEventRanges } from '../../../src/repository/events/event-ranges.ts';
import type { FeedRange } from '../../../src/repository/feeds.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';

const environment = "shop'--";

const event = (rest: Partial<EventRow> = {}): EventRow => ({
  environment,
  eventType: 'detail_pageview',
  occurredAtMs: 1_700_000_000_750,
  userId: 'u',
  itemType: 'product',
  itemId: 'a',
  robot: false,
  details: {},
  ...rest,
});

async function copyAll(db: TestDatabase, statementsOnly = false): Promise<AudienceEventRow[]> {
  const rows: AudienceEventRow[] = [];
  const options = { ranges: await listEventRanges(db), statementsOnly };
  await copyAudienceEvents(db, environment, options, (row) => rows.push(row));
  return rows;
}

test('an event has its subject, type, item and time, and missing fields are undefined', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    event({ deviceId: 'd' }),
    event({ robot: true }),
    event({ environment: 'other' }),
    event({ eventType: 'page_visit', userId: undefined, itemType: undefined, itemId: undefined }),
  ]);
  const common = { atSeconds: 1_700_000_000.75, contact: undefined, isPublic: false };
  const rows = await copyAll(db);
  for (const { arrivedAtSeconds } of rows) t.true(arrivedAtSeconds > 1_700_000_000.75);
  const sent = rows.map(({ arrivedAtSeconds: _, ...row }) => row);
  t.deepEqual(sent, [
    {
      ...common,
      eventType: 'detail_pageview',
      deviceId: 'd',
      userId: 'u',
      itemType: 'product',
      itemId: 'a',
    },
    {
      ...common,
      eventType: 'page_visit',
      deviceId: undefined,
      userId: undefined,
      itemType: undefined,
      itemId: undefined,
    },
  ]);
});

test('mailings and opt-outs have their names; opt-outs can be read alone', async (t) => {
  const db = await createTestDatabase(t);
  const details = { campaign_id: 'spring "sale"', audience_id: 'loyal', interaction_type: 'Opt_Out' };
  await commitEvents(db, [
    event(),
    event({ eventType: 'batch_open', channel: 'mail', details }),
    event({ eventType: 'user_interaction', details }),
    event({ eventType: 'user_interaction', details: { interaction_type: 'wave' } }),
    event({ eventType: 'cancel_subscription' }),
  ]);
  const named = { interaction: 'Opt_Out', campaign: 'spring "sale"', audience: 'loyal' };
  const contacts = (await copyAll(db)).map(({ contact }) => contact);
  t.deepEqual(contacts, [undefined, { channel: 'mail', ...named }, named, { interaction: 'wave' }, {}]);
  const statements = (await copyAll(db, true)).map(({ eventType }) => eventType);
  t.deepEqual(statements, ['user_interaction', 'cancel_subscription']);
});

test('ranges of several lanes are read in turn, and each part is reported', async (t) => {
  const db = await createTestDatabase(t);
  for (const [i, lane] of [1, 2, 1, 2, 1].entries()) {
    await commitEvents(db, [event({ itemId: `${i}` }), event({ environment: 'other' })], { lane });
  }
  const ranges = await listEventRanges(db);
  const parts: FeedRange[] = [];
  const read: string[] = [];
  const onRead = (part: FeedRange) => void parts.push(part);
  await copyAudienceEvents(db, environment, { ranges, onRead }, ({ itemId }) => read.push(itemId!));
  t.deepEqual(parts, ranges);
  t.deepEqual(read, ['0', '2', '4', '1', '3']);
  const rest = ranges.map((range) => ({ ...range, since: 2, until: 4 }));
  const inside: string[] = [];
  await copyAudienceEvents(db, environment, { ranges: rest }, ({ itemId }) => inside.push(itemId!));
  t.deepEqual(inside, ['2', '3']);
});
