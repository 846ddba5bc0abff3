/**
 * What the integration doctor asks of an environment's events and items.
 *
 * Every question is a transaction of its own that only reads, alone, without helpers, within bounded memory and time, so that
 * serving does not notice. A question that takes too long has no answer: undefined.
 */
import { type RawBuilder, sql } from 'kysely';
import { DomainError } from '../errors.ts';
import { listBuckets } from './buckets.ts';
import { type Database, queryReadOnly } from './database.ts';
import type { FeedRange } from './feeds.ts';
import type { Shape } from './row-shape.ts';

/** Of each sort or hash of a statement; the rest goes to disk. */
const workMemory = '32MB';

/** Cases returned of each question. */
export const mostExamples = 5;

/** How far a clock may be ahead, and how late an event may be, before it counts. */
const ahead = sql`interval '2 seconds'`;
const late = sql`interval '60 seconds'`;
/** Later ones are history that somebody loads. */
const history = sql`interval '1 day'`;

/** A repetition comes within so many seconds: a retry, or a tag that fires twice. */
const repetitionSeconds = 5;

/** The events looked at: of one environment, in these stretches of the log, arrived since. */
export type EventWindow = {
  environment: string;
  since: Date;
  ranges: readonly FeedRange[];
  timeoutMs: number;
};

/** One case, how often it stands there, and the same for all cases together. */
export type Case = { text: string; count: number; total: number };

async function ask<Row>(
  db: Database,
  timeoutMs: number,
  question: RawBuilder<unknown>,
  shape: Shape<Row>,
): Promise<Row[] | undefined> {
  const settings = {
    statement_timeout: String(Math.ceil(timeoutMs)),
    work_mem: workMemory,
    jit: 'off',
    max_parallel_workers_per_gather: '0',
  };
  try {
    return await queryReadOnly(db, settings, question, shape);
  } catch (error) {
    if (isCancelled(error)) return undefined;
    throw error;
  }
}

/** Whether the server ended the statement for its time. */
function isCancelled(error: unknown): boolean {
  return error instanceof DomainError && (error.cause as { code?: string } | undefined)?.code === '57014';
}

function inWindow({ environment, since, ranges }: EventWindow) {
  const stretches = ranges.map(
    (range) => sql`(bucket = ${range.bucket} and lane = ${range.lane}
      and number > ${range.since} and number <= ${range.until})`,
  );
  const isInside = stretches.length === 0 ? sql`false` : sql`(${sql.join(stretches, sql` or `)})`;
  return sql`environment = ${environment} and received_at >= ${since} and ${isInside}`;
}

/** Counts of the events of one type. */
export type TypeCounts = {
  eventType: string;
  count: number;
  robots: number;
  anonymous: number;
  withoutUser: number;
  withoutEventId: number;
  withItem: number;
  withListName: number;
  withPageType: number;
  withChannel: number;
  ahead: number;
  mostAheadSeconds: number;
  timely: number;
  late: number;
};

const typeShape: Shape<TypeCounts> = {
  eventType: 'text',
  count: 'int8',
  robots: 'int8',
  anonymous: 'int8',
  withoutUser: 'int8',
  withoutEventId: 'int8',
  withItem: 'int8',
  withListName: 'int8',
  withPageType: 'int8',
  withChannel: 'int8',
  ahead: 'int8',
  mostAheadSeconds: 'float8',
  timely: 'int8',
  late: 'int8',
};

export function countEventTypes(db: Database, window: EventWindow): Promise<TypeCounts[] | undefined> {
  return ask<TypeCounts>(
    db,
    window.timeoutMs,
    sql`select event_type as "eventType", count(*) as count, count(*) filter (where robot) as robots,
        count(*) filter (where device_id is null and user_id is null) as anonymous,
        count(*) - count(user_id) as "withoutUser", count(*) - count(event_id) as "withoutEventId",
        count(item_id) as "withItem", count(list_name) as "withListName", count(page_type) as "withPageType",
        count(channel) as "withChannel",
        count(*) filter (where occurred_at > received_at + ${ahead}) as ahead,
        greatest(0, extract(epoch from max(occurred_at - received_at)))::float8 as "mostAheadSeconds",
        count(*) filter (where occurred_at between received_at - ${late} and received_at + ${ahead}) as timely,
        count(*) filter (where occurred_at < received_at - ${late} and occurred_at > received_at - ${history}) as late
      from events where ${inWindow(window)}
      group by event_type order by event_type`,
    typeShape,
  );
}

/** Cases of a question with columns `text` and `count`, the most frequent first, with the sum over all. */
const casesOf = (cases: RawBuilder<unknown>) => sql`
  select text, count, (sum(count) over ())::int8 as total from (${cases}) as cases
  order by count desc, text limit ${mostExamples}`;

const caseShape: Shape<Case> = { text: 'text', count: 'int8', total: 'int8' };

/** Values of a column that are none of those known. */
export function listUnregistered(
  db: Database,
  window: EventWindow,
  column: 'list_name' | 'page_type' | 'channel',
  known: readonly string[],
): Promise<Case[] | undefined> {
  const value = sql.ref(column);
  const cases = sql`select ${value} as text, count(*) as count from events
    where ${inWindow(window)} and ${value} is not null and ${value} <> all(${known}::text[]) group by ${value}`;
  return ask(db, window.timeoutMs, casesOf(cases), caseShape);
}

/** Items acted on that the catalogue does not have. An event without an item type may mean any of the environment's. */
export function listMissingItems(
  db: Database,
  window: EventWindow,
  { groupTypes, itemTypes }: { groupTypes: readonly string[]; itemTypes: readonly string[] },
): Promise<Case[] | undefined> {
  /** A join and no `not exists`: on a cluster it runs where the items are, and only what it finds travels. */
  const cases = sql`
    with acted as materialized (
      select item_type, item_id, count(*) as count from events
      where ${inWindow(window)} and item_id is not null and event_type <> all(${groupTypes}::text[])
      group by item_type, item_id
    ),
    known as materialized (
      select distinct acted.item_type, acted.item_id from acted
      join items on items.environment = ${window.environment} and items.item_id = acted.item_id and (
        items.item_type = acted.item_type
        or acted.item_type = '' and items.item_type = any(${itemTypes}::text[])
      )
    )
    select case item_type when '' then '' else item_type || '/' end || item_id as text, count from acted
    where not exists (
      select from known where known.item_type = acted.item_type and known.item_id = acted.item_id
    )`;
  return ask(db, window.timeoutMs, casesOf(cases), caseShape);
}

export type SharedDevices = {
  /** Devices of more than one user; `count` is the number of users. */
  cases: { text: string; count: number }[];
  sharedCount: number;
  /** Devices of any user. */
  deviceCount: number;
};

export async function findSharedDevices(
  db: Database,
  window: EventWindow,
): Promise<SharedDevices | undefined> {
  const rows = await ask<{ text: string; count: number; sharedCount: number; deviceCount: number }>(
    db,
    window.timeoutMs,
    sql`with pairs as (
        select distinct device_id, user_id from events
        where ${inWindow(window)} and device_id is not null and user_id is not null and not robot
      ),
      devices as (select device_id, count(*) as count from pairs group by device_id)
      select device_id as text, count, count(*) filter (where count > 1) over () as "sharedCount",
        count(*) over () as "deviceCount"
      from devices order by count desc, device_id limit ${mostExamples}`,
    { text: 'text', count: 'int8', sharedCount: 'int8', deviceCount: 'int8' },
  );
  if (rows === undefined) return undefined;
  const { sharedCount, deviceCount } = rows[0] ?? { sharedCount: 0, deviceCount: 0 };
  return { cases: rows.filter(({ count }) => count > 1), sharedCount, deviceCount };
}

const clickSuffix = 'click_on_recommendation';

/** What links a click to its impression beside the item: the answer, else the device, else the user. */
const link = sql`coalesce('request ' || request_id, 'device ' || device_id, 'user ' || user_id)`;

/**
 * Clicks whose item was not seen before in the same answer. Impressions are looked for further back than clicks, so that the
 * edge of the window separates none.
 */
export function listUnseenClicks(
  db: Database,
  clicks: EventWindow,
  impressions: EventWindow,
): Promise<Case[] | undefined> {
  const cases = sql`
    with clicks as (
      select replace(event_type, ${clickSuffix}, 'impression') as impression_type, event_type, item_id, request_id, list_name,
        ${link} as link
      from events
      where ${inWindow(clicks)} and not robot and right(event_type, ${clickSuffix.length}) = ${clickSuffix}
    ),
    seen as (
      select event_type, item_id, ${link} as link from events
      where ${inWindow(impressions)} and right(event_type, 10) = 'impression'
    )
    select concat_ws(', ', event_type, 'item ' || item_id, 'request ' || request_id, 'list ' || list_name) as text, count(*) as count
    from clicks where not exists (
      select from seen
      where seen.link = clicks.link and seen.item_id = clicks.item_id and seen.event_type = clicks.impression_type
    ) group by event_type, item_id, request_id, list_name`;
  return ask(db, clicks.timeoutMs, casesOf(cases), caseShape);
}

/**
 * Answers that impressions and clicks name, by whether their ids are ones that this service gives; see serving/answer-id.ts.
 * Only events that say that the service recommended, by their user group, count.
 */
export type NamedAnswers = { cases: { text: string }[]; given: number; foreign: number };

export async function findNamedAnswers(
  db: Database,
  window: EventWindow,
  userGroups: readonly string[],
): Promise<NamedAnswers | undefined> {
  const rows = await ask<{ text: string; isGiven: boolean; total: number }>(
    db,
    window.timeoutMs,
    sql`with named as (
        select distinct request_id from events
        where ${inWindow(window)} and not robot and event_type in ('impression', ${clickSuffix})
          and user_group = any(${userGroups}::text[]) and request_id is not null
      ),
      judged as (
        select request_id as text,
          right(request_id, 8) = left(encode(sha256(convert_to(left(request_id, 28), 'UTF8')), 'hex'), 8) as "isGiven"
        from named
      ),
      counted as (
        select *, count(*) over (partition by "isGiven") as total,
          row_number() over (partition by "isGiven" order by text) as place
        from judged
      )
      select text, "isGiven", total from counted where place <= ${mostExamples} order by "isGiven", place`,
    { text: 'text', isGiven: 'bool', total: 'int8' },
  );
  if (rows === undefined) return undefined;
  const totalOf = (isGiven: boolean) => rows.find((row) => row.isGiven === isGiven)?.total ?? 0;
  return { cases: rows.filter(({ isGiven }) => !isGiven), given: totalOf(true), foreign: totalOf(false) };
}

/** Events that stand there again, to the letter, without an event_id that would tell; `text` is type and item. */
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
  return ask(db, window.timeoutMs, casesOf(cases), caseShape);
}

/** How late the late events of a type are, and over what time they came. */
export type Delay = {
  eventType: string;
  count: number;
  lowSeconds: number;
  medianSeconds: number;
  highSeconds: number;
  /** From the first arrival to the last. */
  spanSeconds: number;
};

const delayShape: Shape<Delay> = {
  eventType: 'text',
  count: 'int8',
  lowSeconds: 'float8',
  medianSeconds: 'float8',
  highSeconds: 'float8',
  spanSeconds: 'float8',
};

/** Low and high are the first and the last tenth. History that somebody loads is left out. */
export function listDelays(db: Database, window: EventWindow): Promise<Delay[] | undefined> {
  return ask<Delay>(
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
          from events where ${inWindow(window)}
            and occurred_at < received_at - ${late} and occurred_at > received_at - ${history}
        ) as delayed
        group by event_type
      ) as late
      order by count desc`,
    delayShape,
  );
}

/** When an item of the environment was last written; an empty list when there is none. */
export async function listLatestItemWrite(
  db: Database,
  environment: string,
  timeoutMs: number,
): Promise<{ updatedAt: Date }[] | undefined> {
  const buckets = await listBuckets(db);
  const writes: { updatedAt: Date }[] = [];
  for (const bucket of buckets) {
    const rows = await ask<{ updatedAt: Date }>(
      db,
      timeoutMs,
      sql`select updated_at as "updatedAt" from items where bucket = ${bucket} and environment = ${environment}
        order by number desc limit 1`,
      { updatedAt: 'timestamptz' },
    );
    if (rows === undefined) return undefined;
    writes.push(...rows);
  }
  return writes.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime()).slice(0, 1);
}
