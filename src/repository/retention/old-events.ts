/** Deletes events past an environment's retention. Their counts and histories are kept. */

import { contactStatements } from '../audiences/audience-events.ts';
import { type Database, query } from '../database.ts';
import { listLaneProgress } from '../events/aggregate-events.ts';
import { listEventRanges, rangesArrivedSince } from '../events/event-ranges.ts';
import { type FeedRange, positionKey } from '../feeds.ts';
import { findOptOutLinks } from './opt-out-links.ts';
import { forgetPages, type Pace, type Page } from './pace.ts';

const eventsPerStatement = 10_000;

/** Keeps opt-outs and their links to users without limit: an opt-out never expires. */
const forgetStatement = `
with page as (
  select number from events
  where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
  order by number limit ${eventsPerStatement}
),
gone as (
  delete from events
  where bucket = $1 and environment = $2 and lane = $3
    and number > $4 and number <= (select max(number) from page) and (${contactStatements}) is not true
    and number <> all($6::bigint[])
  returning number
)
select (select max(number) from page) as "reached", (select count(*) from gone) as "count"`;

/** Deletes events that arrived before `before`, once aggregated everywhere; returns the count. */
export async function forgetEvents(
  db: Database,
  environment: string,
  before: Date,
  pace: Pace,
): Promise<number> {
  const all = await listEventRanges(db);
  const kept = await rangesArrivedSince(db, environment, all, before);
  const firstKept = new Map(kept.map((range) => [positionKey(range), range.since]));
  const aggregated = await aggregatedEverywhere(db);
  const going = all.map((range) => {
    const key = positionKey(range);
    return { ...range, until: Math.min(firstKept.get(key) ?? range.until, aggregated.get(key) ?? 0) };
  });
  const staying = await findOptOutLinks(db, environment, { all, going }, pace);
  let count = 0;
  for (const range of going)
    count += await forgetRange(db, environment, range, staying.get(positionKey(range)) ?? [], pace);
  return count;
}

/** @param staying Numbers of the events to keep, ascending. */
function forgetRange(
  db: Database,
  environment: string,
  { bucket, lane, since, until }: FeedRange,
  staying: readonly number[],
  pace: Pace,
): Promise<number> {
  return forgetPages(pace, since, (place) => {
    const first = staying.findIndex((number) => number > place);
    const ofPage = first < 0 ? [] : staying.slice(first, first + eventsPerStatement);
    const values = [bucket, environment, lane, place, until, ofPage];
    return query<Page<number>>(db, 'forget-events', forgetStatement, values);
  });
}

/** Returns, by feed, the event number up to which every bucket has aggregated. */
async function aggregatedEverywhere(db: Database): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const { lane, ends, reached } of await listLaneProgress(db)) {
    for (const bucket of ends.keys())
      numbers.set(positionKey({ bucket, lane }), Math.min(...reached.map((ofBucket) => ofBucket[bucket])));
  }
  return numbers;
}
