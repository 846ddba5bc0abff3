import test from 'ava';
import {
  type AudienceEventRow,
  copyAudienceEvents,
} from '../../../src/repository/audiences/audience-events.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { commitEvents, findSettledSequence } from '../../../src/repository/events/events.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

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
  const range = { sinceSequence: 0, untilSequence: await findSettledSequence(db), statementsOnly };
  await copyAudienceEvents(db, environment, range, (row) => rows.push(row));
  return rows;
}

test('an event comes with who did what and when, and what it lacks is undefined', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [
    event({ deviceId: 'd' }),
    event({ robot: true }),
    event({ environment: 'other' }),
    event({ eventType: 'page_visit', userId: undefined, itemType: undefined, itemId: undefined }),
  ]);
  const common = { atSeconds: 1_700_000_000, contact: undefined };
  t.deepEqual(await copyAll(db), [
    {
      ...common,
      sequence: 1,
      eventType: 'detail_pageview',
      deviceId: 'd',
      userId: 'u',
      itemType: 'product',
      itemId: 'a',
    },
    {
      ...common,
      sequence: 4,
      eventType: 'page_visit',
      deviceId: undefined,
      userId: undefined,
      itemType: undefined,
      itemId: undefined,
    },
  ]);
});

test('mailings and opt-outs come with what they name; the latter can be read alone', async (t) => {
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
  const statements = (await copyAll(db, true)).map(({ sequence }) => sequence);
  t.deepEqual(statements, [3, 5]);
});
