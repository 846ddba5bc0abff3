/**
 * Reads an environment's events in order of arrival, for export.
 *
 * Page by page after the last number, not by a cursor: memory stays bounded, and no transaction stays open,
 * which would keep the whole database from cleaning up. The log lies in several feeds, which are merged by the
 * moment of arrival.
 */
import { type Database, query } from '../database.ts';
import type { FeedRange } from '../feeds.ts';
import type { Shape } from '../row-shape.ts';
import { listEventRanges, rangesArrivedSince } from './event-ranges.ts';
import { eventShape, type StoredEvent } from './stored-event.ts';

/** Rows a batch; a batch of average events is a few MB. All feeds together hold about as many. */
const batchSize = 5_000;
const smallestPage = 200;

/** An event may be at most five minutes ahead of its arrival, so what arrived earlier need not be looked at. */
const mostAheadMs = 5 * 60_000;

export type StreamedEvent = StoredEvent & {
  /** Of a checkpoint, 0 to 1. */
  progress?: number;
};

export type EventRange = {
  /** Of the time of the event, inclusive. */
  from?: Date;
  /** Of the time of the event, exclusive. */
  to?: Date;
  /** Whether `details` is read too; parsing them is most of the work [false]. */
  withDetails?: boolean;
};

/** As the driver reads it: absent is null. */
type StreamedRow = Pick<StreamedEvent, AlwaysPresent> & {
  [name in keyof StreamedEvent]: StreamedEvent[name] | null;
};
type AlwaysPresent =
  | 'environment'
  | 'bucket'
  | 'lane'
  | 'number'
  | 'receivedAtMs'
  | 'occurredAtMs'
  | 'eventType'
  | 'robot';

const streamedShape: Shape<StreamedRow> = {
  ...eventShape,
  eventId: 'text?',
  progress: 'float8?',
};

const streamStatement = `
select environment, bucket, lane, number, event_type as "eventType", device_id as "deviceId", user_id as "userId",
  item_type as "itemType", item_id as "itemId", request_id as "requestId", list_name as "listName",
  page_type as "pageType", channel, user_group as "userGroup", version, robot, is_public as "isPublic", event_id as "eventId",
  case when $8 then details end as details,
  case when event_type = 'checkpoint' and json_typeof(details -> 'progress') = 'number'
    then (details ->> 'progress')::float8 end as progress,
  (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs",
  (extract(epoch from received_at) * 1000)::float8 as "receivedAtMs"
from events
where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
  and occurred_at >= coalesce($6, '-infinity'::timestamptz) and occurred_at < coalesce($7, 'infinity'::timestamptz)
order by number limit $9`;

/** What is stored at the time of the call. */
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
  /** The next event, when it was read. */
  readonly next: StreamedEvent | undefined;
  /** Makes `next` what follows; false at the end. */
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
    const rows = await query(db, { name: 'stream-events', text: streamStatement, values }, streamedShape);
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

/** Written out, since one shape for all rows is several times faster than copying what is present. */
function readEvent(row: StreamedRow): StreamedEvent {
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
