/** What follows from a person's events, and the events themselves: read and deleted a batch at a time. */

import { bucketCountOf, bucketOf, forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { hourOf } from '../metrics/metric-batch.ts';
import { isTheirs, type Person, valuesOf } from './person.ts';
import { type EventBatch, listPersonEvents, type PersonEvent } from './person-events.ts';

/** Rows of each kind. */
export type Counts = Record<string, number>;

/** Clicks and purchases, which attribution keeps, lie in the bucket of their item and are found by their moment. */
const momentTables = {
  clicks: { table: 'metric_clicks', moment: 'clicked_at' },
  purchases: { table: 'metric_purchases', moment: 'purchased_at' },
};

const whereMoment = (moment: string) => `
  where bucket = $1 and environment = $2
    and (item_id, ${moment}) in (select * from unnest($3::text[], $4::bigint[]))
    and ${isTheirs('$5', '$6', '$7')}`;

const deleteEventsStatement = `
with gone as (
  delete from events where bucket = $1 and environment = $2 and lane = $3 and number = any($4::bigint[])
  returning event_id
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
export async function deleteEvents(db: Database, person: Person, batch: EventBatch): Promise<Counts> {
  const { environment } = person;
  const events = await listPersonEvents(db, environment, batch);
  const counts: Counts = {};
  for (const [name, { table, moment }] of Object.entries(momentTables)) {
    const text = `with gone as (delete from ${table} ${whereMoment(moment)} returning 1) select count(*) from gone`;
    counts[name] = sumOf(await forEachItem(db, person, events, text));
  }
  counts.impression_sets = await deleteSets(db, environment, events);
  const values = [batch.bucket, environment, batch.lane, batch.numbers];
  counts.events = sumOf(
    await query<Counted>(db, { name: 'delete-events', text: deleteEventsStatement, values }),
  );
  return counts;
}

/** Purchases with what they are attributed to; clicks and sets of impressions say nothing beyond their events. */
export async function listPurchases(
  db: Database,
  person: Person,
  events: readonly PersonEvent[],
): Promise<object[]> {
  const { table, moment } = momentTables.purchases;
  const text = `
    select json_build_object('item_id', item_id, 'item_type', item_type, 'user_id', user_id, 'device_id', device_id,
      'time', to_timestamp(purchased_at / 1000.0), 'items', items, 'revenue', revenue / 1e6,
      'is_attributed', dimension_id is not null) as record
    from ${table} ${whereMoment(moment)}`;
  const rows = await forEachItem<{ record: object }>(db, person, events, text);
  return rows.map(({ record }) => record);
}

type Counted = { count: number };

async function forEachItem<Row = Counted>(
  db: Database,
  person: Person,
  events: readonly PersonEvent[],
  text: string,
): Promise<Row[]> {
  const bucketCount = await bucketCountOf(db);
  const found: Row[] = [];
  const named = events.filter(({ eventType, itemId }) => itemId !== null && isKeptWithItem(eventType));
  await forEachBucket(
    named,
    ({ itemId }) => bucketOf(bucketCount, person.environment, itemId!),
    async (bucket, ofBucket) => {
      const items = ofBucket.map(({ itemId }) => itemId);
      const moments = ofBucket.map(({ occurredAtMs }) => Math.floor(occurredAtMs));
      const values = [bucket, person.environment, items, moments, ...valuesOf(person)];
      found.push(...(await query<Row>(db, { name: '', text, values })));
      return [];
    },
  );
  return found;
}

function isKeptWithItem(eventType: string): boolean {
  return eventType === 'purchase' || eventType.endsWith('click_on_recommendation');
}

async function deleteSets(
  db: Database,
  environment: string,
  events: readonly PersonEvent[],
): Promise<number> {
  const bucketCount = await bucketCountOf(db);
  const shown = events.filter(({ eventType, requestId }) => eventType === 'impression' && requestId !== null);
  let count = 0;
  await forEachBucket(
    shown,
    ({ requestId }) => bucketOf(bucketCount, environment, requestId!),
    async (bucket, ofBucket) => {
      const hours = ofBucket.map(({ occurredAtMs }) => hourOf(occurredAtMs));
      const values = [bucket, environment, hours, ofBucket.map(({ requestId }) => requestId)];
      count += sumOf(await query<Counted>(db, { name: '', text: deleteSetsStatement, values }));
      return [];
    },
  );
  return count;
}

const sumOf = (counts: readonly Counted[]): number => counts.reduce((sum, { count }) => sum + count, 0);
