/** Queries about the senders of events: properties and times by type, repetitions, shared IDs. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import {
  type Case,
  type EventWindow,
  inWindow,
  listCases,
  mostExamples,
  runTimedQuery,
} from './timed-query.ts';

/** Tolerated lead of a client clock, and tolerated delay of an event. */
export const ahead = sql`interval '2 seconds'`;
export const late = sql`interval '60 seconds'`;
/** Older events count as imported history. */
export const history = sql`interval '1 day'`;

/** Events of people that are counted, by the name of the count. */
const counted = {
  /** Events without robots: the denominator of shares. */
  byPeople: sql`true`,
  anonymous: sql`device_id is null and user_id is null`,
  withoutEventId: sql`event_id is null`,
  withItem: sql`item_id is not null`,
  withListName: sql`list_name is not null`,
  withPageType: sql`page_type is not null`,
  withChannel: sql`channel is not null`,
  ahead: sql`occurred_at > received_at + ${ahead}`,
  timely: sql`occurred_at between received_at - ${late} and received_at + ${ahead}`,
  late: sql`occurred_at < received_at - ${late} and occurred_at > received_at - ${history}`,
};

/** Counts of a type's events. Robots are included in `count`, `robots` and `withoutUser` only. */
export type TypeCounts = { eventType: string; mostAheadSeconds: number } & Record<
  'count' | 'robots' | 'withoutUser' | keyof typeof counted,
  number
>;

export function countEventTypes(db: Database, window: EventWindow): Promise<TypeCounts[] | undefined> {
  const counts = Object.entries(counted).map(
    ([name, condition]) => sql`count(*) filter (where not robot and ${condition}) as ${sql.ref(name)}`,
  );
  return runTimedQuery<TypeCounts>(
    db,
    window.timeoutMs,
    sql`select event_type as "eventType", count(*) as count, count(*) filter (where robot) as robots,
        count(*) - count(user_id) as "withoutUser",
        greatest(0, extract(epoch from max(occurred_at - received_at) filter (where not robot)))::float8
          as "mostAheadSeconds", ${sql.join(counts)}
      from events where ${inWindow(window)}
      group by event_type order by event_type`,
  );
}

/** Delays of the late events of a type, and the time span of their arrivals. */
export type Delay = {
  eventType: string;
  count: number;
  lowSeconds: number;
  medianSeconds: number;
  highSeconds: number;
  spanSeconds: number;
};

/** Lists delays by type; low and high are the 10th and 90th percentiles. Excludes history. */
export function listDelays(db: Database, window: EventWindow): Promise<Delay[] | undefined> {
  return runTimedQuery<Delay>(
    db,
    window.timeoutMs,
    sql`select event_type as "eventType", count, percentiles[1] as "lowSeconds",
        percentiles[2] as "medianSeconds", percentiles[3] as "highSeconds", span as "spanSeconds"
      from (
        select event_type, count(*) as count,
          percentile_disc(array[0.1, 0.5, 0.9]) within group (order by delay) as percentiles,
          extract(epoch from max(received_at) - min(received_at))::float8 as span
        from (
          select event_type, received_at, extract(epoch from received_at - occurred_at)::float8 as delay
          from events where ${inWindow(window)} and not robot
            and occurred_at < received_at - ${late} and occurred_at > received_at - ${history}
        ) as delayed
        group by event_type
      ) as late
      order by count desc`,
  );
}

/** Maximum seconds between repetitions: typical of a retry, or of a tag that fires twice. */
const repetitionSeconds = 5;

/** Lists exact repetitions of events without an event_id; `text` is the type and the item. */
export function listRepetitions(db: Database, window: EventWindow): Promise<Case[] | undefined> {
  const cases = sql`
    with sent as (
      select occurred_at, event_type, item_id,
        hashtextextended(concat_ws(E'\\x1f', event_type, device_id, user_id, item_id, details::text), 0) as identity
      from events
      where ${inWindow(window)} and event_id is null and not robot and (device_id is not null or user_id is not null)
    ),
    marked as (
      select event_type, item_id, occurred_at - lag(occurred_at) over (partition by identity order by occurred_at)
        <= make_interval(secs => ${repetitionSeconds}) as is_repeated
      from sent
    )
    select concat_ws(' of ', event_type, item_id) as text, count(*) as count from marked where is_repeated
    group by event_type, item_id`;
  return listCases(db, window.timeoutMs, cases);
}

/** IDs that should name one thing, with what they may occur with. */
const columns = {
  device: ['device_id', 'user_id'],
  user: ['user_id', 'device_id'],
  /** Event IDs by the types of their events; within a type a repetition is not stored. */
  event: ['event_id', 'event_type'],
} as const;

export type SharedIds = {
  /** IDs that occur with more than `most` others, and with how many. */
  cases: { text: string; count: number }[];
  sharedCount: number;
  idCount: number;
};

export async function findSharedIds(
  db: Database,
  window: EventWindow,
  kind: keyof typeof columns,
  most: number,
): Promise<SharedIds | undefined> {
  const [id, other] = columns[kind].map((column) => sql.ref(column));
  const rows = await runTimedQuery<{ text: string; count: number; sharedCount: number; idCount: number }>(
    db,
    window.timeoutMs,
    sql`with pairs as (
        select distinct ${id} as id, ${other} from events
        where ${inWindow(window)} and ${id} is not null and ${other} is not null and not robot
      ),
      ids as (select id, count(*) as count from pairs group by id)
      select id as text, count, count(*) filter (where count > ${most}) over () as "sharedCount",
        count(*) over () as "idCount"
      from ids order by count desc, id limit ${mostExamples}`,
  );
  if (rows === undefined) return undefined;
  const { sharedCount, idCount } = rows[0] ?? { sharedCount: 0, idCount: 0 };
  return { cases: rows.filter(({ count }) => count > most), sharedCount, idCount };
}
