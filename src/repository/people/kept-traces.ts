/**
 * Tables that hold somebody within a document: lists that were answered, recorded requests, audiences. All are short-lived
 * or few, so they are looked through, some thousand rows a statement.
 */

import { bucketCountOf, bucketOf, listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { visitorBytes, visitorMark, witnessBytes } from '../search/visitor-mark.ts';
import { type Person, subjectsOf, valuesOf } from './person.ts';

const listsPerStatement = 5_000;

/** What names the user and the device at the beginning of a kept list, as JSON.stringify writes them; devices without the last quote. */
function namesIn({ userId, deviceIds }: Person): { user: string | null; devices: string[] } {
  return {
    user: userId === undefined ? null : `"userId":${JSON.stringify(userId)}`,
    devices: deviceIds.map((id) => JSON.stringify(id).slice(0, -1)),
  };
}

/** Cut out once, since a user may have thousands. What it is cut by stands in no text, whose quotes are escaped. */
const deviceOfList = `split_part(split_part(payload, '"deviceId":', 2), '","', 1)`;

/** The secret of its key is none of the person's. */
const listsText = (isDeletion: boolean) => `
with page as (
  select list_key, payload from lists where bucket = $1 and environment = $2 and list_key > $3
  order by list_key limit ${listsPerStatement}
),
theirs as (
  select list_key, payload from page
  where strpos(payload, $4) > 0
    or ${deviceOfList} = any($5::text[]) and ($6 or strpos(payload, '"userId":') = 0)
)
${isDeletion ? ', gone as (delete from lists where bucket = $1 and environment = $2 and list_key in (select list_key from theirs))' : ''}
select (select max(list_key) from page) as last, (select count(*) from theirs) as count
  ${isDeletion ? '' : `, (select coalesce(json_agg(payload::jsonb - 'secret'), '[]') from theirs) as records`}`;

type ListPage = { last: string | null; count: number; records?: object[] };

async function* readLists(db: Database, person: Person, isDeletion: boolean): AsyncGenerator<ListPage> {
  const { user, devices } = namesIn(person);
  const text = listsText(isDeletion);
  for (const bucket of await listBuckets(db)) {
    for (let last: string | null = ''; last !== null; ) {
      const values: unknown[] = [bucket, person.environment, last, user, devices, person.hasWholeDevices];
      const [page]: ListPage[] = await query<ListPage>(db, { name: '', text, values }, {
        last: 'text?',
        count: 'int8',
        ...(isDeletion ? {} : { records: 'json?' }),
      } as Shape<ListPage>);
      yield page;
      last = page.last;
    }
  }
}

export async function deleteLists(db: Database, person: Person): Promise<number> {
  let count = 0;
  for await (const page of readLists(db, person, true)) count += page.count;
  return count;
}

export async function* listLists(db: Database, person: Person): AsyncGenerator<object[]> {
  for await (const { records } of readLists(db, person, false)) yield records!;
}

const theirRequests = `
  where bucket = $1 and environment = $2 and (request ->> 'user_id' = any($3)
    or request ->> 'device_id' = any($4) and ($5 or coalesce(request ->> 'user_id', '') = ''))`;

async function queryRequests<Row>(
  db: Database,
  person: Person,
  text: string,
  shape: Shape<Row>,
): Promise<Row[]> {
  const bucket = bucketOf(await bucketCountOf(db), person.environment);
  return query(db, { name: '', text, values: [bucket, person.environment, ...valuesOf(person)] }, shape);
}

export async function deleteRecorded(db: Database, person: Person): Promise<number> {
  const text = `with gone as (delete from recorded_requests ${theirRequests} returning 1) select count(*) from gone`;
  return (await queryRequests<{ count: number }>(db, person, text, { count: 'int8' }))[0].count;
}

export async function listRecorded(db: Database, person: Person): Promise<object[]> {
  const text = `select recorded_at, request from recorded_requests ${theirRequests}`;
  return queryRequests<{ recorded_at: Date; request: object }>(db, person, text, {
    recorded_at: 'timestamptz',
    request: 'json',
  });
}

const audiencesStatement = `
select audience_id as "audienceId", audience_name as "audienceName", created_at as "createdAt"
from audiences where environment = $1 order by audience_id`;

const theirMember = `
  environment = $1 and audience_id = $2
  and exists (select from unnest($3::text[]) as subject where strpos(members, '[' || to_json(subject)::text || ',') > 0)`;

/** A hole keeps the places of the others, by which pages are read. */
const forgetMemberStatement = `
with changed as (
  update audience_members set members = (
    select json_agg(case when member ->> 0 = any($3) then null else member end order by place)::text
    from json_array_elements(members::json) with ordinality as listed(member, place)
  )
  where ${theirMember} returning 1
)
select count(*) from changed`;

const findMemberStatement = `
select json_build_object('is_held_out', held_out, 'score', member -> 1) as record
from audience_members cross join lateral json_array_elements(members::json) as member
where ${theirMember} and member ->> 0 = any($3)`;

type AudienceName = { audienceId: string; audienceName: string; createdAt: Date };

const nameShape: Shape<AudienceName> = {
  audienceId: 'text',
  audienceName: 'text',
  createdAt: 'timestamptz',
};

async function* forEachAudience<Row>(
  db: Database,
  person: Person,
  text: string,
  shape: Shape<Row>,
): AsyncGenerator<{ audience: AudienceName; rows: Row[] }> {
  const { environment } = person;
  const named = { name: '', text: audiencesStatement, values: [environment] };
  for (const audience of await query(db, named, nameShape)) {
    const values = [environment, audience.audienceId, subjectsOf(person)];
    yield { audience, rows: await query(db, { name: '', text, values }, shape) };
  }
}

export async function deleteMemberships(db: Database, person: Person): Promise<number> {
  let count = 0;
  for await (const { rows } of forEachAudience<{ count: number }>(db, person, forgetMemberStatement, {
    count: 'int8',
  }))
    count += rows[0].count;
  return count;
}

export async function listMemberships(db: Database, person: Person): Promise<object[]> {
  const found: object[] = [];
  for await (const { audience, rows } of forEachAudience<{ record: object }>(
    db,
    person,
    findMemberStatement,
    { record: 'json' },
  ))
    for (const { record } of rows)
      found.push({
        audience_id: audience.audienceId,
        audience_name: audience.audienceName,
        time: audience.createdAt,
        ...record,
      });
  return found;
}

/** Without some visitors; each stands at a multiple of `size` bytes and begins with its mark. */
const without = (column: string, size = visitorBytes) => `(
  select coalesce(string_agg(substring(${column} from place for ${size}), ''::bytea order by place), ''::bytea)
  from generate_series(1, length(${column}), ${size}) as place
  where substring(${column} from place for ${visitorBytes}) <> all($2::bytea[]))`;

/** Place by place, as a user may have thousands of devices. */
const holdsOne = (column: string, size = visitorBytes) => `exists (
  select from generate_series(1, length(${column}), ${size}) as place
  where substring(${column} from place for ${visitorBytes}) = any($2::bytea[]))`;

const forgetVisitorStatement = `
with changed as (
  update search_clicks set clickers = ${without('clickers')}, viewers = ${without('viewers')}
  where environment = $1 and (${holdsOne('clickers')} or ${holdsOne('viewers')})
  returning 1
),
forgotten as (
  update search_queries set witnesses = ${without('witnesses', witnessBytes)}
  where environment = $1 and ${holdsOne('witnesses', witnessBytes)}
  returning 1
)
select (select count(*) from changed) + (select count(*) from forgotten) as count`;

/** That the person searched, and saw or clicked what searches found; the counts stay. */
export async function deleteVisits(db: Database, person: Person): Promise<number> {
  const { environment } = person;
  const marks = subjectsOf(person).map((subject) => visitorMark(subject.replace(':', '')));
  const statement = { name: '', text: forgetVisitorStatement, values: [environment, marks] };
  return (await query<{ count: number }>(db, statement, { count: 'int8' }))[0].count;
}
