/** Experiments on stored events: comparable rates and minimum sizes. */

import test from 'ava';
import { readExperiment } from '../../../../src/jobs/experiments/statistics/reading.ts';
import type { EventRow } from '../../../../src/repository/event-row.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { aggregateAll, commitEvents } from '../../../support/events.ts';

const hour = 494_000;
const deviceCount = 120;

const event = (eventType: string, userGroup: string, device: number): EventRow => ({
  environment: 'shop',
  eventType,
  occurredAtMs: hour * 3_600_000,
  deviceId: `${userGroup} ${device}`,
  userGroup,
  robot: false,
  details: {},
});

/** Every device visits a page. */
const visits = (userGroup: string) =>
  Array.from({ length: deviceCount }, (_, device) => event('page_visit', userGroup, device));

const read = (db: TestDatabase, interval = { fromHour: hour, toHour: hour + 1 }) =>
  readExperiment(db, {
    ...{ environment: 'shop', dimension: 'user_group', arms: ['control', 'recommender'] },
    ...{ kind: 'fixed', confidence: 0.95 },
    ...interval,
  });

async function readRate(db: TestDatabase) {
  const { differences } = await read(db);
  return differences.find(({ metric }) => metric === 'click_through_rate')!;
}

async function store(db: TestDatabase, events: EventRow[]): Promise<void> {
  await commitEvents(db, events);
  await aggregateAll(db);
}

test('a group without impressions has no rate to compare with', async (t) => {
  const db = await createTestDatabase(t);
  const shown = Array.from({ length: deviceCount }, (_, device) => [
    event('impression', 'recommender', device),
    ...(device % 3 === 0 ? [event('click_on_recommendation', 'recommender', device)] : []),
  ]);
  await store(db, [...visits('control'), ...shown.flat()]);
  const rate = await readRate(db);
  t.is(rate.armValue, 1 / 3);
  t.false(rate.isSignificant);
  t.is(rate.radius, undefined);
});

test('a rate counts devices with impressions; too few of them have no interval', async (t) => {
  const db = await createTestDatabase(t);
  const few = [0, 1, 2].flatMap((device) => [
    event('impression', 'control', device),
    event('impression', 'recommender', device),
    event('click_on_recommendation', 'recommender', device),
  ]);
  await store(db, [...visits('control'), ...visits('recommender'), ...few]);
  const rate = await readRate(db);
  t.like(rate, { controlValue: 0, armValue: 1, isSignificant: false });
  t.is(rate.radius, undefined);
});

test('an interval without hours has no devices', async (t) => {
  const db = await createTestDatabase(t);
  await store(db, visits('control'));
  await db.pool.query(
    `insert into metric_exposures (bucket, environment, day, device_id, user_group, version)
    values (0, 'shop', $1, 'served', 'control', 'A')`,
    [Math.floor(hour / 24)],
  );
  const devicesOf = async (toHour: number) =>
    (await read(db, { fromHour: hour, toHour })).arms[0].deviceCount;
  t.is(await devicesOf(hour + 1), deviceCount + 1);
  t.is(await devicesOf(hour), 0);
});
