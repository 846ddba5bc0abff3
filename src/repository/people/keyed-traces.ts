/**
 * Tables that are keyed by a user or a device: what they hold of somebody is read and deleted by the same
 * condition, a statement a bucket.
 *
 * Where the hour or day stands before the person in the key, the hours that a table has are found by leaping
 * through it; for each there is one look.
 */

import { bucketCountOf, forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { bucketOfSubject } from '../events/bucket-facts.ts';
import { readAllLines } from '../events/history-lines.ts';
import { type DeviceMeasure, millionths } from '../metrics/metric-measures.ts';
import { type Person, subjectsOf } from './person.ts';

type Trace = {
  /** What a receipt and an export call it. */
  name: string;
  table: string;
  /** Of whom the table knows; `device` takes ids, `both` subjects. */
  of: 'user' | 'device' | 'both';
  /** `$1` is the bucket, `$2` the environment, `$3` ids or subjects. */
  where: string;
  /** Of a row, JSON. */
  record: string;
  kind: 'json' | 'jsonb';
  /** The record as people read it [as it is]. */
  read?(record: Row): object;
};

type Row = Record<string, unknown>;

const leap = (table: string, column: string, also = '') => `
  with recursive steps as (
    (select ${column} as step from ${table} where bucket = $1 and environment = $2 ${also} order by ${column} limit 1)
    union all
    select (
      select ${column} from ${table}
      where bucket = $1 and environment = $2 ${also} and ${column} > steps.step order by ${column} limit 1)
    from steps where steps.step is not null
  )
  select step from steps`;

export const keyedTraces: readonly Trace[] = [
  {
    name: 'user_hours',
    table: 'metric_keys',
    of: 'user',
    where: `kind = 'u' and key = any($3) and hour in (${leap('metric_keys', 'hour', `and kind = 'u'`)})`,
    kind: 'json',
    record: `json_build_object('user_id', key, 'time', to_timestamp(hour * 3600.0))`,
  },
  {
    name: 'device_hours',
    table: 'metric_devices',
    of: 'device',
    where: `device_id = any($3) and hour in (${leap('metric_devices', 'hour')})`,
    kind: 'jsonb',
    record: `to_jsonb(traced) - '{bucket,environment,hour,dimensions,known_count}'::text[]
      || jsonb_build_object('time', to_timestamp(hour * 3600.0))`,
    read: readMeasures,
  },
  {
    name: 'experiment_days',
    table: 'metric_exposures',
    of: 'device',
    where: `device_id = any($3) and day in (${leap('metric_exposures', 'day')})`,
    kind: 'json',
    record: `json_build_object('device_id', device_id, 'day', date '1970-01-01' + day,
      'user_group', user_group, 'version', version)`,
  },
  {
    name: 'histories',
    table: 'histories',
    of: 'both',
    where: 'subject = any($3)',
    kind: 'json',
    record: `json_build_object('subject', subject, 'linked_user', linked_user, 'is_claimed', linked_at is null,
      'entries', concat_ws(E'\\n', nullif(entries, ''), nullif(older_entries, '')),
      'impressions', concat_ws(E'\\n', nullif(impressions, ''), nullif(older_impressions, '')),
      'consumed', consumed)`,
    read: readHistory,
  },
];

/** Ids of one bucket that a table knows, or its subjects. */
async function forEachPlace<Output>(
  db: Database,
  person: Person,
  trace: Trace,
  run: (values: unknown[]) => Promise<Output[]>,
): Promise<Output[]> {
  const bucketCount = await bucketCountOf(db);
  const prefix = trace.of === 'user' ? 'u:' : trace.of === 'device' ? 'd:' : '';
  const subjects = subjectsOf(person).filter((subject) => subject.startsWith(prefix));
  const found: Output[] = [];
  await forEachBucket(
    subjects,
    (subject) => bucketOfSubject(bucketCount, person.environment, subject),
    async (bucket, ofBucket) => {
      const ids = ofBucket.map((subject) => subject.slice(prefix.length));
      found.push(...(await run([bucket, person.environment, ids])));
      return [];
    },
  );
  return found;
}

const rowsOf = ({ where }: Trace) => `where bucket = $1 and environment = $2 and ${where}`;

/** Returns how many rows. */
export async function deleteKeyedTrace(db: Database, person: Person, trace: Trace): Promise<number> {
  const text = `with gone as (delete from ${trace.table} ${rowsOf(trace)} returning 1) select count(*) from gone`;
  const counts = await forEachPlace(db, person, trace, (values) =>
    query<{ count: number }>(db, { name: '', text, values }, { count: 'int8' }),
  );
  return counts.reduce((sum, { count }) => sum + count, 0);
}

export async function listKeyedTrace(db: Database, person: Person, trace: Trace): Promise<object[]> {
  const text = `select ${trace.record} as record from ${trace.table} as traced ${rowsOf(trace)}`;
  const rows = await forEachPlace(db, person, trace, (values) =>
    query<{ record: Row }>(db, { name: '', text, values }, { record: trace.kind }),
  );
  return rows.map(({ record }) => trace.read?.(record) ?? record);
}

function readMeasures({ device_id, time, ...measures }: Row): object {
  const counted = Object.entries(measures).filter(([, value]) => value !== 0);
  const inUnits = counted.map(([name, value]) => [
    name,
    millionths.has(name as DeviceMeasure) ? Number(value) / 1e6 : value,
  ]);
  return { device_id, time, ...Object.fromEntries(inUnits) };
}

function readHistory({ subject, linked_user, is_claimed, entries, impressions, consumed }: Row): object {
  const id = String(subject).slice(2);
  const linesOf = (text: unknown) =>
    readAllLines(text as string).map(({ eventType, itemType, itemId, occurredAtSeconds }) => ({
      event_type: eventType,
      item_type: itemType,
      item_id: itemId,
      timestamp: occurredAtSeconds,
    }));
  return {
    ...(String(subject).startsWith('u:') ? { user_id: id } : { device_id: id }),
    ...(linked_user !== null && { [is_claimed ? 'claimed_user_id' : 'linked_user_id']: linked_user }),
    entries: linesOf(entries),
    impressions: linesOf(impressions),
    ...(consumed !== '' && { consumed: linesOf(consumed) }),
  };
}
