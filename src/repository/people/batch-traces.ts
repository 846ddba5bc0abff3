/** Parts of batches that hold somebody, as they stand for an answer or have one. Looked through, some hundred a statement. */

import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { type Person, subjectsOf } from './person.ts';

/** Some 100 kB each. */
const partsPerStatement = 200;

const theirs = `
page as (
  select batch_id, part from batch_parts
  where bucket = $1 and environment = $2 and (batch_id, part) > ($3::uuid, $4::int)
  order by batch_id, part limit ${partsPerStatement}
),
theirs as (
  select batch_id, part, people, results from batch_parts
  where bucket = $1 and environment = $2 and (batch_id, part) in (select batch_id, part from page)
    and exists (select from unnest($5::text[]) as subject where strpos(people, to_json(subject)::text) > 0)
)`;

const last = `
  (select batch_id from page order by batch_id desc, part desc limit 1) as "lastBatch",
  (select part from page order by batch_id desc, part desc limit 1) as "lastPart"`;

/** A hole keeps the places of the others, by which results are read. */
const forgetStatement = `
with ${theirs},
changed as (
  update batch_parts set
    people = (
      select json_agg(case when person #>> '{}' = any($5) then null else person end order by place)::text
      from json_array_elements(batch_parts.people::json) with ordinality as listed(person, place)
    ),
    results = (
      select json_agg(case when result ->> 0 = any($5) then null else result end order by place)::text
      from json_array_elements(batch_parts.results::json) with ordinality as listed(result, place)
    )
  from theirs
  where batch_parts.bucket = $1 and batch_parts.environment = $2
    and batch_parts.batch_id = theirs.batch_id and batch_parts.part = theirs.part
  returning 1
)
select ${last}, (select count(*) from changed) as count`;

/** Somebody who is not answered yet stands without an answer. */
const findStatement = `
with ${theirs}
select ${last}, (
  select coalesce(json_agg(json_build_object('batch_id', batch_id, 'subject', person #>> '{}', 'answer', (
    select result from json_array_elements(results::json) as result where result ->> 0 = person #>> '{}' limit 1
  ))), '[]') from theirs cross join lateral json_array_elements(people::json) as person
  where person #>> '{}' = any($5)
) as records`;

type Last = { lastBatch: string | null; lastPart: number | null };

const lastShape: Shape<Last> = { lastBatch: 'uuid?', lastPart: 'int4?' };

async function* forEachPage<Row extends Last>(
  db: Database,
  person: Person,
  text: string,
  shape: Shape<Row>,
): AsyncGenerator<Row> {
  for (const bucket of await listBuckets(db)) {
    let after: Last = { lastBatch: '00000000-0000-0000-0000-000000000000', lastPart: -1 };
    while (after.lastBatch !== null) {
      const values = [bucket, person.environment, after.lastBatch, after.lastPart, subjectsOf(person)];
      const [page]: Row[] = await query<Row>(db, { name: '', text, values }, shape);
      yield page;
      after = page;
    }
  }
}

export async function deleteBatched(db: Database, person: Person): Promise<number> {
  let sum = 0;
  type Row = Last & { count: number };
  const shape: Shape<Row> = { ...lastShape, count: 'int8' };
  for await (const { count } of forEachPage<Row>(db, person, forgetStatement, shape)) sum += count;
  return sum;
}

export async function* listBatched(db: Database, person: Person): AsyncGenerator<object[]> {
  type Row = Last & { records: { batch_id: string; subject: string; answer: unknown[] | null }[] };
  const shape: Shape<Row> = { ...lastShape, records: 'json' };
  for await (const { records } of forEachPage<Row>(db, person, findStatement, shape))
    yield records.map(({ batch_id, subject, answer }) => {
      const [, request_id, user_group, version, lists] = answer ?? [];
      const name = subject.startsWith('u:') ? 'user_id' : 'device_id';
      return { batch_id, [name]: subject.slice(2), request_id, user_group, version, lists };
    });
}
