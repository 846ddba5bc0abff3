/** Queries about what events refer to (items, lists, names) and about the catalogue. */
import { sql } from 'kysely';
import { clickSuffix } from '../../events/meaning.ts';
import { listBuckets } from '../buckets.ts';
import type { Database } from '../database.ts';
import {
  type Case,
  type EventWindow,
  inWindow,
  listCases,
  mostExamples,
  runTimedQuery,
} from './timed-query.ts';

/** Links a click to an impression of its item: by request, else by device, else by user. */
const link = sql`coalesce('request ' || request_id, 'device ' || device_id, 'user ' || user_id)`;

/** Lists clicks without an impression of the item, in a window that begins earlier. */
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
  return listCases(db, clicks.timeoutMs, cases);
}

/** Request ids of impressions and clicks by whether ranking/lists/answer-id.ts issued them. */
export type NamedAnswers = { cases: { text: string }[]; given: number; foreign: number };

export async function findNamedAnswers(
  db: Database,
  window: EventWindow,
  userGroups: readonly string[],
): Promise<NamedAnswers | undefined> {
  const rows = await runTimedQuery<{ text: string; isGiven: boolean; total: number }>(
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
  );
  if (rows === undefined) return undefined;
  const totalOf = (isGiven: boolean) => rows.find((row) => row.isGiven === isGiven)?.total ?? 0;
  return { cases: rows.filter(({ isGiven }) => !isGiven), given: totalOf(true), foreign: totalOf(false) };
}

/** Lists values of a column that are not in `known`. */
export function listUnregistered(
  db: Database,
  window: EventWindow,
  column: 'list_name' | 'page_type' | 'channel',
  known: readonly string[],
): Promise<Case[] | undefined> {
  const value = sql.ref(column);
  const cases = sql`select ${value} as text, count(*) as count from events
    where ${inWindow(window)} and not robot and ${value} is not null and ${value} <> all(${known}::text[])
    group by ${value}`;
  return listCases(db, window.timeoutMs, cases);
}

/** Lists items in events but not in the catalogue. Events without an item type match any type. */
export function listMissingItems(
  db: Database,
  window: EventWindow,
  { groupTypes, itemTypes }: { groupTypes: readonly string[]; itemTypes: readonly string[] },
): Promise<Case[] | undefined> {
  /** Joins first: on a cluster, a join runs next to the items and transfers only its matches. */
  const cases = sql`
    with acted as materialized (
      select item_type, item_id, count(*) as count from events
      where ${inWindow(window)} and not robot and item_id is not null and event_type <> all(${groupTypes}::text[])
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
  return listCases(db, window.timeoutMs, cases);
}

/** Returns the time of the environment's last item write; empty if it has no items. */
export async function listLatestItemWrite(
  db: Database,
  environment: string,
  timeoutMs: number,
): Promise<{ updatedAt: Date }[] | undefined> {
  const buckets = await listBuckets(db);
  const writes: { updatedAt: Date }[] = [];
  for (const bucket of buckets) {
    const rows = await runTimedQuery<{ updatedAt: Date }>(
      db,
      timeoutMs,
      sql`select updated_at as "updatedAt" from items where bucket = ${bucket} and environment = ${environment}
        order by number desc limit 1`,
    );
    if (rows === undefined) return undefined;
    writes.push(...rows);
  }
  return writes.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime()).slice(0, 1);
}

/** Items of a type that have values of a property, by the kind of the values. */
export type StoredProperty = {
  environment: string;
  itemType: string;
  /** Empty for all items of the type. */
  name: string;
  /** A type of JSON, or `datetime` for a string that begins like one. */
  kind: string;
  count: number;
};

/** Counts the items of all environments by type, and by the properties of their documents besides `fields`. */
export function listStoredProperties(
  db: Database,
  fields: readonly string[],
  timeoutMs: number,
): Promise<StoredProperty[] | undefined> {
  const statement = sql`
    select environment, item_type as "itemType", '' as name, '' as kind, count(*)::int8 as count
    from items group by environment, item_type
    union all
    select environment, item_type, name, kind, count(*)::int8 from (
      select environment, item_type, key as name, case
        when json_typeof(value) = 'string' and value #>> '{}' ~ '^\\d{4}-\\d\\d-\\d\\dT' then 'datetime'
        else json_typeof(value) end as kind
      from items cross join json_each(document) where key <> all(${fields}::text[])
    ) as held
    where kind <> 'null'
    group by environment, item_type, name, kind
    order by environment, "itemType", name, kind`;
  return runTimedQuery<StoredProperty>(db, timeoutMs, statement);
}
