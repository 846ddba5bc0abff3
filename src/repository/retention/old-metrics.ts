/** Deletes counts of hours past an environment's retention. Queries already ignore these hours. */

import { listBuckets } from '../buckets.ts';
import { type Database, execute } from '../database.ts';
import type { Pace } from './pace.ts';

const rowsPerStatement = 10_000;

const hourMs = 3_600_000;

export type OldMetrics = {
  environment: string;
  /** Hours since 1970; earlier hours are deleted. */
  firstHour: number;
  /** Keeps clicks this much longer, since purchases of the first hour may refer to them. */
  attributionWindowMs: number;
};

type Family = { table: string; condition: string; first: (old: OldMetrics) => number | Date };

const firstHour = ({ firstHour }: OldMetrics) => firstHour;

const hours: Family = {
  table: 'metric_hours',
  condition: `hour < $3 and dimension_id in (
    select dimension_id from metric_dimensions where bucket = $1 and environment = $2)`,
  first: firstHour,
};

const exposures: Family = {
  table: 'metric_exposures',
  condition: 'environment = $2 and day < $3',
  first: (old) => Math.floor(old.firstHour / 24),
};

/** Counts by dimension, without totals and distinct keys. Unreferenced combinations go last. */
const namedFamilies: readonly Family[] = [
  { table: 'metric_totals', condition: 'environment = $2 and dimension > 0 and hour < $3', first: firstHour },
  hours,
  exposures,
  {
    table: 'metric_dimensions',
    condition: `environment = $2 and added_at < $3
      and dimension_id not in (select dimension_id from metric_hours where bucket = $1)
      and dimension_id not in (select dimension_id from metric_clicks where bucket = $1)
      and dimension_id not in (
        select dimension_id from metric_purchases where bucket = $1 and dimension_id is not null)`,
    first: (old) => new Date(old.firstHour * hourMs),
  },
];

const families: readonly Family[] = [
  { table: 'metric_totals', condition: 'environment = $2 and hour < $3', first: firstHour },
  hours,
  { table: 'metric_keys', condition: 'environment = $2 and hour < $3', first: firstHour },
  { table: 'metric_devices', condition: 'environment = $2 and hour < $3', first: firstHour },
  exposures,
  {
    table: 'metric_purchases',
    condition: 'environment = $2 and purchased_at < $3',
    first: (old) => old.firstHour * hourMs,
  },
  {
    table: 'metric_clicks',
    condition: 'environment = $2 and clicked_at < $3',
    first: (old) => old.firstHour * hourMs - old.attributionWindowMs,
  },
];

export function forgetMetrics(db: Database, old: OldMetrics, pace: Pace): Promise<number> {
  return forgetFamilies(db, 'forget', families, { old, pace });
}

/** Deletes counts by dimension and keeps the totals. */
export function forgetMetricNames(db: Database, old: OldMetrics, pace: Pace): Promise<number> {
  return forgetFamilies(db, 'forget-names', namedFamilies, { old, pace });
}

async function forgetFamilies(
  db: Database,
  name: string,
  families: readonly Family[],
  { old, pace }: { old: OldMetrics; pace: Pace },
): Promise<number> {
  let count = 0;
  for (const bucket of await listBuckets(db)) {
    for (const { table, condition, first } of families) {
      const text = `
        delete from ${table} where bucket = $1 and ctid = any(array(
          select ctid from ${table} where bucket = $1 and ${condition} limit ${rowsPerStatement}))`;
      const values = [bucket, old.environment, first(old)];
      let gone = rowsPerStatement;
      while (gone === rowsPerStatement) {
        gone = await pace(() => execute(db, `${name}-${table}`, text, values));
        count += gone;
      }
    }
  }
  return count;
}
