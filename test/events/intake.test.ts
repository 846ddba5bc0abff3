import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createEventIntake } from '../../src/events/intake.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
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
