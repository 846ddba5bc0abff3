/** Reads the events of a lane for aggregation, and the subjects of events in several lanes. */

import { type Database, query } from '../database.ts';
import { columnsOf } from '../encode-values.ts';
import { type StoredEvent, storedColumns } from './stored-event.ts';

/** Finds the environments of a bucket by skipping through the key, which starts with them. */
const withEnvironments = `
with recursive environments as (
  (select environment from events where bucket = $1 order by environment limit 1)
  union all
  select (
    select events.environment from events
    where events.bucket = $1 and events.environment > environments.environment order by 1 limit 1)
  from environments where environments.environment is not null
)`;

const eventsStatement = `${withEnvironments}
select event.*
from environments cross join lateral (
  select ${storedColumns}, details
  from events
  where bucket = $1 and events.environment = environments.environment and lane = $2
    and number > $3 and number <= $4
  order by number limit $5
) as event
order by number limit $5`;

export type LaneRange = {
  lane: number;
  /** Event numbers by bucket, exclusive. */
  since: readonly number[];
  /** Event numbers by bucket, inclusive. */
  until: readonly number[];
  limit: number;
};

/** Returns events in order of arrival, and by bucket the number up to which they are complete. */
export async function listLaneEvents(
  db: Database,
  { lane, since, until, limit }: LaneRange,
): Promise<{ events: StoredEvent[]; until: number[] }> {
  const buckets = [...since.keys()].filter((bucket) => since[bucket] < until[bucket]);
  const reached = since.map((number, bucket) => Math.max(number, until[bucket]));
  const parts = await Promise.all(
    buckets.map(async (bucket) => {
      const values = [bucket, lane, since[bucket], until[bucket], limit];
      const rows = await query<StoredEvent>(db, 'list-lane-events', eventsStatement, values);
      if (rows.length === limit) reached[bucket] = rows.at(-1)!.number;
      return rows.map(withoutNulls);
    }),
  );
  const events = parts.flat().sort((a, b) => a.receivedAtMs - b.receivedAtMs || a.number - b.number);
  return { events, until: reached };
}

/** A range of a lane's events in a bucket: `since` is exclusive, `until` inclusive. */
export type LanePart = { lane: number; since: number; until: number };

export type EventPerson = { environment: string; deviceId: string | null; userId: string | null };

const peopleStatement = `${withEnvironments}
select event.*
from environments cross join unnest($2::integer[], $3::bigint[], $4::bigint[]) as part(lane, since, until)
cross join lateral (
  select distinct events.environment, device_id as "deviceId", user_id as "userId" from events
  where bucket = $1 and events.environment = environments.environment and events.lane = part.lane
    and number > part.since and number <= part.until
) as event`;

/** Lists the users and devices of the events in some parts of a bucket. */
export async function listEventPeople(
  db: Database,
  bucket: number,
  parts: readonly LanePart[],
): Promise<EventPerson[]> {
  const values = [bucket, ...columnsOf(parts, 'lane', 'since', 'until')];
  return query<EventPerson>(db, 'list-event-people', peopleStatement, values);
}

function withoutNulls(row: StoredEvent): StoredEvent {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as StoredEvent;
}
