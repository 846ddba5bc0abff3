/**
 * The generated log that trainings are measured on: made inside the database, so that a million events take seconds.
 *
 * Users like one of the kinds of a hundred items, popular ones more: seven of ten events are such, the others are of anything. A
 * larger log is a smaller one and what other users did in the same three months. The same sizes give the same events.
 */

import { sql } from 'kysely';
import type { Database } from '../../../src/repository/database.ts';

export const environment = 'bench';

export type Size = { users: number; events: number };

/** Some seconds' worth, which is all that is lost when the filling is broken off. */
const eventsPerStatement = 250_000;
const spanSeconds = 90 * 86_400;

export async function makeItems(db: Database, itemCount: number): Promise<void> {
  await sql`
    insert into items (environment, item_type, item_id, document)
    select ${environment}, 'product', n::text, json_build_object(
      'title', 'word' || n % 997 || ' word' || n % 4001 || ' kind' || n / 100,
      'categories', json_build_array('kind' || n / 100), 'brand', 'brand' || n % 211)
    from generate_series(0, ${sql.lit(itemCount - 1)}) as n
    on conflict do nothing`.execute(db.kysely);
}

export async function countEvents(db: Database): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) from events`.execute(db.kysely);
  return Number(rows[0].count);
}

export type Filling = {
  itemCount: number;
  /** What is there already, of other users. */
  before: Size;
  /** What shall be there in the end. */
  size: Size;
  onProgress(events: number): void;
};

/** Goes on where an earlier filling to the same size ended. */
export async function fill(db: Database, { itemCount, before, size, onProgress }: Filling): Promise<void> {
  const present = Math.max(before.events, await countEvents(db));
  if (present > size.events) throw new Error(`There are ${present} events already; take another folder.`);
  for (let start = present; start < size.events; start += eventsPerStatement) {
    const end = Math.min(size.events, start + eventsPerStatement);
    await makeEvents(db, { itemCount, before, size, start, end });
    onProgress(end);
  }
  await sql`analyze events`.execute(db.kysely);
}

type Part = Pick<Filling, 'itemCount' | 'before' | 'size'> & { start: number; end: number };

async function makeEvents(db: Database, { itemCount, before, size, start, end }: Part): Promise<void> {
  const kindCount = Math.max(1, Math.floor(itemCount / 100));
  const secondsPerEvent = spanSeconds / (size.events - before.events);
  await db.kysely.transaction().execute(async (transaction) => {
    await sql`select setseed(${sql.lit(1 / (1 + start / eventsPerStatement))})`.execute(transaction);
    await sql`
      insert into events (environment, occurred_at, event_type, user_id, item_type, item_id, page_type, robot, details)
      select ${environment}, now() - make_interval(secs => ${sql.lit(spanSeconds)} - (n - ${sql.lit(before.events)}) * ${sql.lit(secondsPerEvent)}),
        case when random() < 0.08 then 'purchase' else 'detail_pageview' end, 'user' || u, 'product',
        case when random() < 0.7
          then ((u * 7919 % ${sql.lit(kindCount)}) * 100 + floor(100 * random() ^ 2))::bigint
          else floor(${sql.lit(itemCount)} * random() ^ 3)::bigint end::text,
        'detail', false, '{}'
      from (
        select n, ${sql.lit(before.users)} + floor(${sql.lit(size.users - before.users)} * random() ^ 1.5)::bigint as u
        from generate_series(${sql.lit(start)}, ${sql.lit(end - 1)}) as n
      ) as drawn`.execute(transaction);
  });
}
