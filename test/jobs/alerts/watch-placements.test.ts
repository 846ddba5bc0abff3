/** Alerts about placements: by simulation, and on counts in a database. */

import test from 'ava';
import pino from 'pino';
import {
  type AlertChange,
  findChanges,
  findTrainingChange,
  watchPlacements,
} from '../../../src/jobs/alerts/watch-placements.ts';
import { type Alert, listAlerts } from '../../../src/repository/alerts/alerts.ts';
import type { PlacementHour } from '../../../src/repository/metrics/metric-placements.ts';
import type { TrainingState } from '../../../src/repository/training/trainings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Plan, simulateHours } from './placements.ts';

const startHour = 494_400;
const week = 168;
const dropHour = startHour + 6 * week;

/** Checks each `step` hours, from the sixth week on if not later, and applies the changes. */
function watch(
  rows: readonly PlacementHour[],
  toHour: number,
  { step = 1, fromHour = startHour + 5 * week } = {},
) {
  const alerts: Alert[] = [];
  const found: { hour: number; change: AlertChange }[] = [];
  for (let hour = fromHour; hour <= toHour; hour += step) {
    const seen = rows.filter((row) => row.hour < hour && row.hour >= hour - 5 * week);
    const latest = alerts.toReversed();
    for (const change of findChanges(seen, latest, hour)) {
      found.push({ hour, change });
      if ('raised' in change)
        alerts.push({
          ...change.raised,
          alertId: `${alerts.length}`,
          raisedAt: new Date(0),
          resolvedAt: null,
        });
      else {
        const alert = alerts.find(({ alertId }) => alertId === change.resolved.alertId)!;
        Object.assign(alert, { resolvedAt: new Date(0), usedHour: change.resolved.usedHour });
      }
    }
  }
  return { alerts, found };
}

const isRise = (metric: string) => /age|rise|no_result/.test(metric);

const plan: Plan = { seed: 1, fromHour: startHour, toHour: startHour + 8 * week };

test('stationary traffic of 60 placement-months raises at most one false alarm', (t) => {
  let count = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const traffic = [50, 1_000, 20_000][seed % 3];
    const toHour = startHour + 5 * week + 30 * 24;
    const everyHours = [3, 30, 300][Math.floor(seed / 3) % 3];
    const simulated = { ...plan, seed, toHour, traffic, everyHours };
    for (const placement of ['home', ''])
      count += watch(simulateHours({ ...simulated, placement }), toHour, { step: 72 }).alerts.length;
  }
  t.true(count <= 1, `${count} false alarms`);
});

for (const [metric, change, mostHours] of [
  ['click_through_rate', { clicksAt: (hour: number) => (hour >= dropHour ? 0.7 : 1) }, 36],
  ['fill', { fillAt: (hour: number) => (hour >= dropHour ? 0.7 : 1) }, 12],
  ['impressions', { trafficAt: (hour: number) => (hour >= dropHour ? 0 : 1) }, 12],
  ['catalogue_age', { lastItemHour: dropHour }, 72],
  ['first_score', { scoresAt: (hour: number) => (hour >= dropHour ? 0.7 : 1) }, 36],
  ['first_score_rise', { scoresAt: (hour: number) => (hour >= dropHour ? 1.4 : 1) }, 24],
  ['no_result_rate', { placement: '', resultsAt: (hour: number) => (hour >= dropHour ? 0.85 : 1) }, 24],
] as const) {
  test(`a deviation of ${metric} is found within ${mostHours} hours, once`, (t) => {
    for (let seed = 1; seed <= 5; seed++) {
      const rows = simulateHours({ ...plan, ...change, seed });
      const { alerts, found } = watch(rows, dropHour + 4 * 24, { fromHour: dropHour - 12 });
      t.deepEqual(
        alerts.map((alert) => alert.metric),
        [metric],
      );
      t.true(found[0].hour - dropHour <= mostHours, `${found[0].hour - dropHour} hours`);
      t.true(alerts[0].fromHour >= dropHour - 12);
      const factor = alerts[0].observed / alerts[0].expected;
      t.true(isRise(metric) ? factor > 1.15 : factor < 0.85, `${factor}`);
    }
  });
}

test('a metric that is back resolves its alert, and the next drop is found', (t) => {
  const isDown = (hour: number) => (hour >= dropHour && hour < dropHour + 48) || hour >= dropHour + week;
  const rows = simulateHours({ ...plan, clicksAt: (hour) => (isDown(hour) ? 0.6 : 1) });
  const { found } = watch(rows, plan.toHour);
  t.deepEqual(
    found.map(({ change }) => Object.keys(change)[0]),
    ['raised', 'resolved', 'raised'],
  );
  t.true(found[1].hour > dropHour + 48 && found[1].hour <= dropHour + 4 * 24, `${found[1].hour - dropHour}`);
});

test('a failed training raises an alert, which the next good one resolves', (t) => {
  const ended = (state: TrainingState, hour: number) => ({ state, endedAt: new Date(hour * 3_600_000) });
  const running = { state: 'running' as const, endedAt: null };
  const failures = [ended('failed', 9), ended('failed', 7), ended('kept', 5)];
  const raised = { placement: '', metric: 'trainings', fromHour: 7, usedHour: 9, expected: 0, observed: 2 };
  t.deepEqual(findTrainingChange(failures, [], 10), { raised });
  t.is(findTrainingChange([running, ...failures], [], 10), undefined);
  t.is(findTrainingChange([], [], 10), undefined);
  const open: Alert = { ...raised, alertId: 'a', raisedAt: new Date(0), resolvedAt: null };
  t.is(findTrainingChange(failures, [open], 11), undefined);
  const resolved = { resolved: { alertId: 'a', usedHour: 11 } };
  t.deepEqual(findTrainingChange([ended('published', 11), ...failures], [open], 12), resolved);
});

test('a placement without counts for five weeks has no open alert', (t) => {
  const means = { expected: 1, observed: 0, fromHour: startHour, usedHour: startHour };
  const alert = { ...means, alertId: 'a', placement: 'gone', metric: 'fill', raisedAt: new Date(0) };
  t.deepEqual(findChanges([], [{ ...alert, resolvedAt: null }], startHour + 6 * week), [
    { resolved: { alertId: 'a', usedHour: startHour + 6 * week - 1 } },
  ]);
});

async function storeHours(db: TestDatabase, rows: readonly PlacementHour[]): Promise<void> {
  await db.pool.query(
    `insert into metric_totals (bucket, environment, dimension, hour, value, impressions, clicks, requests, recommendation_sets)
     select 0, 'shop', 4, hour, placement, impressions, clicks, requests, recommendation_sets
     from json_to_recordset($1) as given(hour int, placement text, impressions float8, clicks float8, requests float8, recommendation_sets float8)`,
    [JSON.stringify(rows)],
  );
}

test('alerts are raised and resolved once by several nodes, and announced', async (t) => {
  const db = await createTestDatabase(t);
  const isDown = (hour: number) => hour >= dropHour && hour < dropHour + 48;
  await storeHours(db, simulateHours({ ...plan, clicksAt: (hour) => (isDown(hour) ? 0.6 : 1) }));
  const watchAt = (hour: number) => {
    const options = { db, environments: ['shop', 'news'], completeCounts: async () => {} };
    return watchPlacements({
      ...options,
      clock: () => hour * 3_600_000 + 10 * 60_000,
      logger: pino({ level: 'silent' }),
    });
  };
  for (const hour of [dropHour, dropHour + 48]) await Promise.all([watchAt(hour), watchAt(hour)]);
  const open = await listAlerts(db, { environment: 'shop', isOpen: true }, 10);
  t.deepEqual(
    open.map(({ placement, metric }) => [placement, metric]),
    [['home', 'click_through_rate']],
  );
  t.deepEqual(await listAlerts(db, { environment: 'news' }, 10), []);
  for (const later of [72, 96, 120]) await watchAt(dropHour + later);
  t.deepEqual(await listAlerts(db, { environment: 'shop', isOpen: true }, 10), []);
  t.is((await listAlerts(db, { environment: 'shop', isOpen: false }, 10)).length, 1);
  const { rows } = await db.pool.query(
    `select kind, environment, data ->> 'alert_id' as id, data ->> 'placement' as placement from changes order by number`,
  );
  const change = { environment: 'shop', id: open[0].alertId, placement: 'home' };
  t.deepEqual(rows, [
    { kind: 'alert.raised', ...change },
    { kind: 'alert.resolved', ...change },
  ]);
});
