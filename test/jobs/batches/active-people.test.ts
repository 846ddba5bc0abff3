/** The subjects of a batch for recently active ones. */

import { randomUUID } from 'node:crypto';
import test from 'ava';
import { gatherSubjects } from '../../../src/jobs/batches/gather-subjects.ts';
import { listParts } from '../../../src/repository/batches/batch-parts.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTestNode } from '../../support/events.ts';

const environment = 'shop';

const view = (subject: Pick<EventRow, 'userId' | 'deviceId'>): EventRow => ({
  environment,
  eventType: 'detail_pageview',
  occurredAtMs: Date.now(),
  itemType: 'product',
  itemId: 'lamp',
  robot: false,
  details: {},
  ...subject,
});

test('a user is active once, by the devices on which they browse signed out', async (t) => {
  const db = await createTestDatabase(t);
  const node = await createTestNode(db);
  const store = async (...events: EventRow[]) => {
    await node.commit(events);
    await node.aggregation.catchUp();
  };
  await store(
    view({ userId: 'anna', deviceId: 'phone' }),
    view({ userId: 'anna', deviceId: 'tablet' }),
    view({ userId: 'ben', deviceId: 'desktop' }),
    view({ userId: 'away', deviceId: 'drawer' }),
    view({ userId: 'cleo' }),
  );
  await db.pool.query('update histories set seen_day = seen_day - 60');
  await store(
    view({ deviceId: 'phone' }),
    view({ deviceId: 'tablet' }),
    view({ deviceId: 'desktop' }),
    view({ userId: 'ben' }),
    view({ userId: 'cleo' }),
    view({ deviceId: 'kiosk' }),
  );
  const batch = { environment, batchId: randomUUID() };
  const options = { db, largest: 100, nowMs: Date.now(), signal: new AbortController().signal };
  const count = await gatherSubjects(options, batch, { activeWithinDays: 30 });
  const people = (await listParts(db, batch, 0, 10)).flatMap(({ people: text }) => JSON.parse(text));
  t.deepEqual(people.toSorted(), ['d:kiosk', 'u:anna', 'u:ben', 'u:cleo']);
  t.is(count, 4);
});
