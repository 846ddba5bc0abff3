/** Decisions about running experiments, on counts in a database: a planted harm, a ramp, a result. */

import test from 'ava';
import pino from 'pino';
import { decideNext } from '../../../src/jobs/experiments/rollouts.ts';
import {
  type ExperimentDefinition,
  findExperiment,
  saveExperiment,
} from '../../../src/repository/experiments/experiments.ts';
import { findLastLocalNumber } from '../../../src/repository/feeds.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const hourMs = 3_600_000;
const startHour = 494_400;
const perArm = 3_000;

const definition: ExperimentDefinition = {
  variants: [
    { name: 'control', share: 1, configurations: {}, models: {} },
    { name: 'b', share: 1, configurations: {}, models: { sequences: 2 } },
  ],
  traffic: 1,
  audience: {},
  metric: 'click_through_rate',
  guardrails: [{ metric: 'clicks', toleratedLoss: 0.02 }],
  ramp: [
    { share: 0.01, hours: 6 },
    { share: 0.05, hours: 6 },
    { share: 1, hours: 0 },
  ],
};

/** A running experiment whose variant b clicks `lift` more often than five times a device. */
async function startExperiment(db: TestDatabase, lift: number, armCounts = [perArm, perArm]): Promise<void> {
  for (const [i, arm] of ['control', 'b'].entries()) {
    const values = [0, arm, startHour / 24, `try:${arm}`, armCounts[i]];
    await db.pool.query(
      `insert into metric_exposures (bucket, environment, day, device_id, user_group, version)
       select $1, 'shop', $3::int, $2 || n, '', $4 from generate_series(1, $5::int) n`,
      values,
    );
    await db.pool.query(
      `insert into metric_devices (bucket, environment, hour, device_id, dimensions, known_count, pageviews,
         item_interactions, impressions, clicks, search_impressions, search_clicks, add_to_carts,
         purchased_items, revenue)
       select $1, 'shop', $3::int, $2 || n, '{}', 0, 1, 0, 50, (n % 11) * $4::float8, 0, 0, 0, 0, 0
       from generate_series(1, $5::int) n`,
      [0, arm, startHour, i === 1 ? 1 + lift : 1, armCounts[i]],
    );
  }
  await db.pool.query('analyze metric_devices, metric_exposures');
  const atMs = startHour * hourMs;
  const progress = { share: 0.01, from: 0, startedAtMs: atMs, rampedAtMs: atMs };
  const since = await findLastLocalNumber(db, 'experiments');
  const write = { environment: 'shop', experimentId: 'try', since, action: 'experiments.start' as const };
  await saveExperiment(db, write, { state: 'running', definition, progress });
}

async function decideAt(db: TestDatabase, hours: number) {
  const clock = () => (startHour + hours) * hourMs;
  const logger = pino({ level: 'silent' });
  const isDone = await decideNext({
    db,
    environments: ['shop'],
    completeCounts: async () => {},
    clock,
    logger,
  });
  const { state, progress } = (await findExperiment(db, 'shop', 'try'))!;
  return { isDone, state, share: progress.share, kind: progress.decision?.kind };
}

const listDecided = async (db: TestDatabase) =>
  (await db.pool.query(`select environment, data from changes where kind = 'experiment.decided'`)).rows;

test('a planted harm of 10 % is rolled back, audited and announced; one node decides at a time', async (t) => {
  const db = await createTestDatabase(t);
  await startExperiment(db, -0.1);
  t.deepEqual(await decideAt(db, 1), { isDone: true, state: 'stopped', share: 0.01, kind: 'rolled_back' });
  const audited = await db.pool.query(
    `select action, resource, environment, after->>'state' as state,
       after->'progress'->'decision'->>'metric' as metric
     from audit_entries where action = 'experiments.decide'`,
  );
  t.deepEqual(audited.rows, [
    {
      action: 'experiments.decide',
      resource: 'experiments/try',
      environment: 'shop',
      state: 'stopped',
      metric: 'clicks',
    },
  ]);
  t.false((await decideAt(db, 2)).isDone);
  const [{ environment, data }, ...others] = await listDecided(db);
  t.deepEqual(others, []);
  const { detail, ...rest } = data;
  t.regex(detail, /harms clicks/);
  const decision = { experiment_id: 'try', kind: 'rolled_back', variant: 'b', metric: 'clicks' };
  t.deepEqual({ environment, ...rest }, { environment: 'shop', ...decision });
});

test('without a difference the ramp takes each step after its hours, and no experiment is decided twice a minute', async (t) => {
  const db = await createTestDatabase(t);
  await startExperiment(db, 0);
  const again = () => db.pool.query('update experiments set checked_at = null');
  t.like(await decideAt(db, 5), { share: 0.01, kind: undefined });
  t.like(await decideAt(db, 6), { isDone: false, share: 0.01 });
  for (const [hours, share] of [
    [6, 0.05],
    [11, 0.05],
    [12, 1],
    [99, 1],
  ]) {
    await again();
    t.like(await decideAt(db, hours), { state: 'running', share }, `${hours} h`);
  }
  t.deepEqual(
    (await listDecided(db)).map(({ data }) => data.kind),
    ['ramped', 'ramped'],
  );
});

test('a gain is announced once, and unequal arms are neither announced nor ramped', async (t) => {
  const db = await createTestDatabase(t);
  await startExperiment(db, 0.1);
  t.like(await decideAt(db, 1), { state: 'running', share: 0.01, kind: 'decided' });
  await db.pool.query('update experiments set checked_at = null');
  t.like(await decideAt(db, 7), { share: 0.05, kind: 'ramped' });
  const broken = await createTestDatabase(t);
  await startExperiment(broken, 0.1, [perArm, perArm / 2]);
  t.like(await decideAt(broken, 7), { state: 'running', share: 0.01, kind: undefined });
});
