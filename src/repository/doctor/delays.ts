import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { history, late } from './lateness.ts';
import { type EventWindow, inWindow, runTimedQuery } from './timed-query.ts';

/** Delays of the late events of a type, and the time span of their arrivals. */
export type Delay = {
  eventType: string;
  count: number;
  lowSeconds: number;
  medianSeconds: number;
  highSeconds: number;
  /** Time from the first arrival to the last. */
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
