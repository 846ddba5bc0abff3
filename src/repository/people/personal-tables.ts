/**
 * The tables that hold personal data beside the event log: how rows about a person are found,
 * exported and erased. Exporting, erasing and replaying deletions (personal-rows.ts,
 * replay-deletions.ts) follow this description; a new table is one more entry.
 */

import { type RawBuilder, sql } from 'kysely';
import type { SubjectKind } from '../../ranking/subject.ts';
import { visitorBytes, visitorMark, witnessBytes } from '../search/visitor-mark.ts';
import { dateOf, idOf, type Row, readBatchResult, readHistory, readMeasures } from './personal-records.ts';

type Sql = RawBuilder<unknown>;

/** IDs as a parameter, or as SQL for COPY, which takes no parameters. */
type Ids = readonly string[] | Sql;

type NamedIds = { users: Ids; devices: Ids; hasWholeDevices: boolean | Sql };

/** The values that the conditions of one statement compare with. */
export type Scope = NamedIds & {
  /** The rows of one bucket and environment, or of an environment where the table has no buckets. */
  place: Sql;
  /** `u:USER` and `d:DEVICE`. */
  subjects: readonly string[];
};

export type PersonalTable = {
  /** Counts the erased rows in receipts under this name. */
  name: string;
  table: string;
  /** `record` of the exported lines; without it nothing is exported. */
  record?: string;
  /** Buckets with the person's rows: of the subjects, of the environment, all, or no buckets. */
  buckets: 'subjects' | 'environment' | 'all' | 'none';
  /** Kind of subject that the table knows [both]. */
  of?: SubjectKind;
  /** Selects the subjects that a row names, for the replay of deletions; absent where other tables name them, too. */
  subjects?: string;
  where(scope: Scope): Sql;
  /** Selects the JSON records of a row. */
  records?(scope: Scope): Sql;
  /** Converts a record to its exported form [as it is]. */
  read?(record: Row): object;
  /** Assignments that erase the person from a row [the row is deleted]. */
  assign?(scope: Scope): Sql;
  /** Columns by which a scanned table is read in steps, values before the first, and rows a step. */
  steps?: { key: string; first: readonly unknown[]; rows: number };
};

/**
 * Describes rows that name a user and a device. A row on a user's device that names another user is
 * not the user's. Users are a list that may be empty, not a value that may be null: whether
 * anything equals null depends on the session.
 */
export const named = (user: string, device: string) => ({
  subjects: `values ('u:' || (${user})), ('d:' || (${device}))`,
  where: ({ users, devices, hasWholeDevices }: NamedIds): Sql =>
    sql`(${sql.raw(user)} = any(${users})
      or ${sql.raw(device)} = any(${devices}) and (${hasWholeDevices} or ${sql.raw(user)} is null))`,
});

/**
 * Lists name the user and the device at the beginning of a text that JSON.stringify wrote.
 * Searching the text is faster than parsing it. The device is cut out once a row, as a user may
 * have thousands; the pattern it is cut by occurs in no value, since quotes inside values are
 * escaped.
 */
function isInList({ users, devices, hasWholeDevices }: Scope): Sql {
  const [user] = users as readonly string[];
  const userText = user === undefined ? null : `"userId":${JSON.stringify(user)}`;
  const deviceTexts = (devices as readonly string[]).map((id) => JSON.stringify(id).slice(0, -1));
  return sql`(strpos(payload, ${userText}) > 0
    or split_part(split_part(payload, '"deviceId":', 2), '","', 1) = any(${deviceTexts}::text[])
      and (${hasWholeDevices} or strpos(payload, '"userId":') = 0))`;
}

/** Whether a JSON text contains one of the subjects, between the given characters. */
const containsSubject = (column: string, { subjects }: Scope, before = '', after = ''): Sql =>
  sql`exists (select from unnest(${subjects}::text[]) as subject
    where strpos(${sql.raw(column)}, ${before}::text || to_json(subject)::text || ${after}) > 0)`;

/** Replaces elements of a JSON array by null, which keeps the positions of the others: pages are read by position. */
const withoutElements = (column: string, subjectOf: string, { subjects }: Scope): Sql => sql`(
  select json_agg(case when ${sql.raw(subjectOf)} = any(${subjects}) then null else element end order by position)::text
  from json_array_elements(${sql.raw(column)}::json) with ordinality as elements(element, position))`;

/** Returns SQL for the distinct values of a key column, found by skipping from one to the next in the index. */
const distinctKeys = (table: string, column: string, { place }: Scope, condition = ''): Sql => {
  const [from, key, also] = [table, column, condition].map((text) => sql.raw(text));
  return sql`(
    with recursive steps as (
      (select ${key} as step from ${from} where ${place} ${also} order by ${key} limit 1)
      union all
      select (select ${key} from ${from} where ${place} ${also} and ${key} > steps.step order by ${key} limit 1)
      from steps where steps.step is not null
    )
    select step from steps)`;
};

const marksOf = ({ subjects }: Scope): Buffer[] =>
  subjects.map((subject) => visitorMark(subject.replace(':', '')));

/** Visitors' marks lie side by side in one value, each at the beginning of `size` bytes. */
const marksIn = (column: string, size: number): Sql =>
  sql.raw(`(select substring(${column} from place for ${size}) as bytes,
    substring(${column} from place for ${visitorBytes}) as mark, place
    from generate_series(1, length(${column}), ${size}) as place) as marks`);

/** Each mark is compared with all of the person's, as a user may have thousands of devices. */
const holdsMark = (column: string, size: number, scope: Scope): Sql =>
  sql`exists (select from ${marksIn(column, size)} where mark = any(${marksOf(scope)}::bytea[]))`;

const withoutMarks = (column: string, size: number, scope: Scope): Sql =>
  sql`${sql.raw(column)} = (select coalesce(string_agg(bytes, ''::bytea order by place), ''::bytea)
    from ${marksIn(column, size)} where mark <> all(${marksOf(scope)}::bytea[]))`;

/** Clicks and purchases lie in the bucket of their item, and may outlive their events. */
const itemColumns = `'item_id', coalesce(variant_id, item_id), 'item_type', item_type, 'user_id', user_id, 'device_id', device_id`;

const requestNames = named(`nullif(request ->> 'user_id', '')`, `request ->> 'device_id'`);

/**
 * In the order of erasure: rows that lead to other rows come last, so that repeating a deletion
 * that failed finds what is left. Histories link devices to users. Exports run in the opposite
 * order.
 */
export const personalTables: readonly PersonalTable[] = [
  {
    name: 'lists',
    table: 'lists',
    record: 'list',
    buckets: 'all',
    steps: { key: 'list_key', first: [''], rows: 5_000 },
    subjects: named(`payload::json ->> 'userId'`, `payload::json ->> 'deviceId'`).subjects,
    where: isInList,
    records: () => sql`select (payload::jsonb - 'secret')::json`,
  },
  {
    name: 'recorded_requests',
    table: 'recorded_requests',
    record: 'recorded_request',
    buckets: 'environment',
    ...requestNames,
    records: () =>
      sql`select json_build_object('recorded_at', recorded_at, 'request', request, 'explored', explored)`,
    read: (record) => ({ ...record, recorded_at: dateOf(record.recorded_at) }),
  },
  {
    name: 'audience_members',
    table: 'audience_members',
    record: 'audience_member',
    buckets: 'none',
    /** An audience a step. */
    steps: { key: 'audience_id', first: [''], rows: 1 },
    subjects: 'select member ->> 0 from json_array_elements(members::json) as member',
    where: (scope) => containsSubject('members', scope, '[', ','),
    records: ({ subjects }) => sql`
      select json_build_object('audience_id', audiences.audience_id, 'audience_name', audience_name, 'time', created_at,
        'is_held_out', held_out, 'score', member -> 1)
      from json_array_elements(members::json) as member
      join audiences on audiences.environment = audience_members.environment
        and audiences.audience_id = audience_members.audience_id
      where member ->> 0 = any(${subjects})`,
    read: (record) => ({ ...record, time: dateOf(record.time) }),
    assign: (scope) => sql`members = ${withoutElements('members', 'element ->> 0', scope)}`,
  },
  {
    name: 'interest_matches',
    table: 'changes',
    record: 'interest_match',
    buckets: 'environment',
    of: 'user',
    subjects: `select 'u:' || user_id from json_array_elements_text(data -> 'user_ids') as user_id`,
    where: ({ users }) => sql`kind = 'interest.matched' and (data -> 'user_ids')::jsonb ?| ${users}::text[]`,
    records: ({ users }) => sql`
      select json_build_object('user_id', user_id, 'interest_id', data -> 'interest_id',
        'item_type', data -> 'item_type', 'item_id', data -> 'item_id', 'time', changed_at)
      from json_array_elements_text(data -> 'user_ids') as user_id where user_id = any(${users})`,
    read: (record) => ({ ...record, time: dateOf(record.time) }),
    assign: ({ users }) => sql`data = jsonb_set(data::jsonb, '{user_ids}',
      (data -> 'user_ids')::jsonb - ${users}::text[])::json`,
  },
  {
    name: 'batch_results',
    table: 'batch_parts',
    record: 'batch_result',
    buckets: 'all',
    /** Some 100 kB a row. */
    steps: { key: 'batch_id, part', first: ['00000000-0000-0000-0000-000000000000', -1], rows: 200 },
    subjects: 'select json_array_elements_text(people::json)',
    where: (scope) => containsSubject('people', scope),
    records: ({ subjects }) => sql`
      select json_build_object('batch_id', batch_id, 'subject', person, 'answer', (
        select result from json_array_elements(results::json) as result where result ->> 0 = person limit 1))
      from json_array_elements_text(people::json) as person where person = any(${subjects})`,
    read: readBatchResult,
    assign: (scope) => sql`people = ${withoutElements('people', `element #>> '{}'`, scope)},
      results = ${withoutElements('results', 'element ->> 0', scope)}`,
  },
  {
    name: 'clicks',
    table: 'metric_clicks',
    record: 'click',
    buckets: 'all',
    ...named('user_id', 'device_id'),
    records: () =>
      sql`select json_build_object(${sql.raw(itemColumns)}, 'time', to_timestamp(clicked_at / 1000.0))`,
  },
  {
    name: 'purchases',
    table: 'metric_purchases',
    record: 'purchase',
    buckets: 'all',
    ...named('user_id', 'device_id'),
    records: () => sql`
      select json_build_object(${sql.raw(itemColumns)}, 'time', to_timestamp(purchased_at / 1000.0),
        'items', items / 1e6, 'revenue', revenue / 1e6, 'is_attributed', dimension_id is not null)`,
  },
  {
    name: 'search_visits',
    table: 'search_clicks',
    buckets: 'none',
    where: (scope) =>
      sql`(${holdsMark('clickers', visitorBytes, scope)} or ${holdsMark('viewers', visitorBytes, scope)})`,
    /** The counts stay. */
    assign: (scope) =>
      sql`${withoutMarks('clickers', visitorBytes, scope)}, ${withoutMarks('viewers', visitorBytes, scope)}`,
  },
  {
    name: 'search_visits',
    table: 'search_queries',
    buckets: 'none',
    where: (scope) => holdsMark('witnesses', witnessBytes, scope),
    assign: (scope) => withoutMarks('witnesses', witnessBytes, scope),
  },
  {
    /** Queries of the user, of devices without a user, and of any device that the user used last. */
    name: 'typed_queries',
    table: 'typed_queries',
    record: 'typed_queries',
    buckets: 'all',
    subjects: `values (subject), ('u:' || linked_user)`,
    where: ({ subjects, users, hasWholeDevices }) => sql`
      (subject = any(${subjects}) and (${hasWholeDevices} or linked_user is null) or linked_user = any(${users}))`,
    records: () => sql`select json_build_object('subject', subject, 'queries', queries, 'time', updated_at)`,
    read: ({ subject, queries, time }) => ({ ...idOf(subject), queries, time: dateOf(time) }),
  },
  {
    /** A device that an event only claims to be the user's keeps its history and loses the claim. */
    name: 'claims',
    table: 'histories',
    buckets: 'all',
    of: 'user',
    where: ({ users }) => sql`linked_user = any(${users}) and linked_at is null`,
    assign: () => sql`linked_user = null`,
  },
  {
    /** Lines on their way from a device to its user. */
    name: 'histories',
    table: 'handovers',
    buckets: 'all',
    subjects: `values (subject), ('u:' || user_id)`,
    where: ({ subjects, users }) => sql`(subject = any(${subjects}) or user_id = any(${users}))`,
  },
  {
    /** A deleted device leaves no trace with the users that it belonged to. */
    name: 'past_devices',
    table: 'histories',
    buckets: 'all',
    of: 'device',
    where: ({ devices, hasWholeDevices }) => sql`${hasWholeDevices} and past_devices is not null
      and exists (select from jsonb_array_elements(past_devices) as device where device ->> 0 = any(${devices}))`,
    assign: ({ devices }) => sql`past_devices = (
      select jsonb_agg(device) from jsonb_array_elements(past_devices) as device
      where device ->> 0 <> all(${devices}))`,
  },
  {
    name: 'user_hours',
    table: 'metric_keys',
    record: 'user_hour',
    buckets: 'subjects',
    of: 'user',
    subjects: `select 'u:' || key where kind = 'u'`,
    where: (scope) => sql`kind = 'u' and key = any(${scope.users})
      and hour in ${distinctKeys('metric_keys', 'hour', scope, `and kind = 'u'`)}`,
    records: () => sql`select json_build_object('user_id', key, 'time', to_timestamp(hour * 3600.0))`,
  },
  {
    name: 'device_hours',
    table: 'metric_devices',
    record: 'device_hour',
    buckets: 'subjects',
    of: 'device',
    subjects: `values ('d:' || device_id)`,
    where: (scope) => sql`device_id = any(${scope.devices})
      and hour in ${distinctKeys('metric_devices', 'hour', scope)}`,
    records: () => sql`
      select (to_jsonb(metric_devices) - '{bucket,environment,hour,dimensions,known_count}'::text[]
        || jsonb_build_object('time', to_timestamp(hour * 3600.0)))::json`,
    read: readMeasures,
  },
  {
    name: 'experiment_days',
    table: 'metric_exposures',
    record: 'experiment_day',
    buckets: 'subjects',
    of: 'device',
    subjects: `values ('d:' || device_id)`,
    where: (scope) => sql`device_id = any(${scope.devices})
      and day in ${distinctKeys('metric_exposures', 'day', scope)}`,
    records: () => sql`
      select json_build_object('device_id', device_id, 'day', date '1970-01-01' + day,
        'user_group', user_group, 'version', version)`,
  },
  {
    name: 'histories',
    table: 'histories',
    record: 'history',
    buckets: 'subjects',
    subjects: `values (subject), ('u:' || linked_user)`,
    where: ({ subjects }) => sql`subject = any(${subjects})`,
    records: () => sql`
      select json_build_object('subject', subject, 'linked_user', linked_user, 'is_claimed', linked_at is null,
        'entries', concat_ws(E'\\n', nullif(entries, ''), nullif(older_entries, '')),
        'impressions', concat_ws(E'\\n', nullif(impressions, ''), nullif(older_impressions, '')),
        'consumed', consumed)`,
    read: readHistory,
  },
];
