/** A person's events, and the sets of impressions that they counted: deleted a batch at a time. */

import { bucketCountOf, bucketOf, forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { hourOf } from '../metrics/metric-batch.ts';
import type { Shape } from '../row-shape.ts';
import { type EventBatch, listPersonEvents, type PersonEvent } from './person-events.ts';

/** Rows of each kind. */
export type Counts = Record<string, number>;

type Counted = { count: number };

const countShape: Shape<Counted> = { count: 'int8' };

const deleteEventsStatement = `
with gone as (
  delete from events where bucket = $1 and environment = $2 and lane = $3 and number = any($4::bigint[])
  returning event_id, event_type, is_public
),
claims as (
  delete from event_claims where bucket = $1 and environment = $2
    and (event_id, event_type, is_public) in (
      select event_id, event_type, is_public from gone where event_id is not null)
),
ids as (
  delete from event_ids where bucket = $1 and environment = $2
    and event_id in (select event_id from gone where event_id is not null)
)
select count(*) from gone`;

const deleteSetsStatement = `
with gone as (
  delete from metric_keys
  where bucket = $1 and environment = $2 and kind = 's'
    and (hour, key) in (select * from unnest($3::int[], $4::text[]))
  returning 1
)
select count(*) from gone`;

/** The events go last: until then another try finds everything. */
export async function deleteEvents(db: Database, environment: string, batch: EventBatch): Promise<Counts> {
  const events = await listPersonEvents(db, environment, batch);
  const impression_sets = await deleteSets(db, environment, events);
  const values = [batch.bucket, environment, batch.lane, batch.numbers];
  const statement = { name: 'delete-events', text: deleteEventsStatement, values };
  const [{ count }] = await query(db, statement, countShape);
  return { impression_sets, events: count };
}

async function deleteSets(
  db: Database,
  environment: string,
  events: readonly PersonEvent[],
): Promise<number> {
  const bucketCount = await bucketCountOf(db);
  const shown = events.filter(({ eventType, requestId }) => eventType === 'impression' && requestId !== null);
  let sum = 0;
  await forEachBucket(
    shown,
    ({ requestId }) => bucketOf(bucketCount, environment, requestId!),
    async (bucket, ofBucket) => {
      const hours = ofBucket.map(({ occurredAtMs }) => hourOf(occurredAtMs));
      const values = [bucket, environment, hours, ofBucket.map(({ requestId }) => requestId)];
      const [{ count }] = await query(db, { name: '', text: deleteSetsStatement, values }, countShape);
      sum += count;
      return [];
    },
  );
  return sum;
}
