/**
 * Reads an environment's events in order of arrival, for export.
 *
 * Reads pages by event number rather than a cursor: memory stays bounded, and no open transaction
 * keeps the database from vacuuming. Merges the feeds by time of arrival.
 */
import { type Database, query } from '../database.ts';
import type { FeedRange } from '../feeds.ts';
import { listEventRanges, rangesArrivedSince } from './event-ranges.ts';
import { type StoredEvent, storedColumns } from './stored-event.ts';

/** Rows per batch, a few MB on average. The pages of all feeds together hold about as many. */
const batchSize = 5_000;
const smallestPage = 200;

/** Maximum time by which an event may be ahead of its arrival; earlier arrivals are skipped. */
const mostAheadMs = 5 * 60_000;

export type StreamedEvent = StoredEvent & {
  progress?: number;
};

export type EventRange = {
  /** Earliest event time, inclusive. */
  from?: Date;
  /** End of the event times, exclusive. */
  to?: Date;
  /** Reads `details` too; parsing them is most of the work [false]. */
  withDetails?: boolean;
};

const streamStatement = `
select ${storedColumns}, event_id as "eventId",
  case when $8 then details end as details,
  case when event_type = 'checkpoint' and json_typeof(details -> 'progress') = 'number'
    then (details ->> 'progress')::float8 end as progress
from events
where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
  and occurred_at >= coalesce($6, '-infinity'::timestamptz) and occurred_at < coalesce($7, 'infinity'::timestamptz)
order by number limit $9`;

/** Yields batches of the events that are stored at the time of the call. */
export async function* streamEvents(
  db: Database,
  environment: string,
  range: EventRange = {},
): AsyncGenerator<StreamedEvent[], void, undefined> {
  const all = await listEventRanges(db);
  const ranges = range.from
    ? await rangesArrivedSince(db, environment, all, new Date(range.from.getTime() - mostAheadMs))
    : all;
  const pageSize = Math.max(smallestPage, Math.ceil(batchSize / Math.max(1, ranges.length)));
  const feeds = ranges.map((feed) => createFeedReader(db, { environment, feed, range, pageSize }));
  let batch: StreamedEvent[] = [];
  for await (const event of mergeByArrival(feeds)) {
    batch.push(event);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type FeedReader = {
  /** Current event; undefined before the first and after the last. */
  readonly next: StreamedEvent | undefined;
  /** Moves to the following event; returns false at the end. */
  advance(): boolean | Promise<boolean>;
};

type FeedReaderOptions = { environment: string; feed: FeedRange; range: EventRange; pageSize: number };

function createFeedReader(
  db: Database,
  { environment, feed, range, pageSize }: FeedReaderOptions,
): FeedReader {
  const { bucket, lane, until } = feed;
  let since = feed.since;
  let page: StreamedEvent[] = [];
  let place = -1;
  let isLastPage = false;
  const readPage = async (): Promise<boolean> => {
    const values = [bucket, environment, lane, since, until, ...rangeValues(range), pageSize];
    const rows = await query<StreamedEvent>(db, 'stream-events', streamStatement, values);
    page = rows.map(readEvent);
    place = 0;
    since = rows.at(-1)?.number ?? since;
    isLastPage = rows.length < pageSize;
    return rows.length > 0;
  };
  return {
    get next() {
      return page[place];
    },
    advance() {
      place += 1;
      if (place < page.length) return true;
      return isLastPage ? false : readPage();
    },
  };
}

async function* mergeByArrival(feeds: FeedReader[]): AsyncGenerator<StreamedEvent, void, undefined> {
  const started = await Promise.all(feeds.map(async (feed) => ((await feed.advance()) ? feed : undefined)));
  const open = started.filter((feed) => feed !== undefined);
  while (open.length > 0) {
    let first = 0;
    for (let i = 1; i < open.length; i++)
      if (open[i].next!.receivedAtMs < open[first].next!.receivedAtMs) first = i;
    yield open[first].next!;
    const advanced = open[first].advance();
    if (!(advanced === true || (await advanced))) open.splice(first, 1);
  }
}

function rangeValues({ from, to, withDetails }: EventRange): unknown[] {
  return [from ?? null, to ?? null, withDetails ?? false];
}

/** Lists the properties one by one: one object shape for all rows is several times faster. */
function readEvent(row: StreamedEvent): StreamedEvent {
  return {
    environment: row.environment,
    bucket: row.bucket,
    lane: row.lane,
    number: row.number,
    receivedAtMs: row.receivedAtMs,
    occurredAtMs: row.occurredAtMs,
    eventType: row.eventType,
    deviceId: row.deviceId ?? undefined,
    userId: row.userId ?? undefined,
    itemType: row.itemType ?? undefined,
    itemId: row.itemId ?? undefined,
    itemGroup: row.itemGroup ?? undefined,
    requestId: row.requestId ?? undefined,
    listName: row.listName ?? undefined,
    pageType: row.pageType ?? undefined,
    channel: row.channel ?? undefined,
    userGroup: row.userGroup ?? undefined,
    version: row.version ?? undefined,
    robot: row.robot,
    isPublic: row.isPublic ?? false,
    eventId: row.eventId ?? undefined,
    details: row.details ?? undefined,
    progress: row.progress ?? undefined,
  };
}
