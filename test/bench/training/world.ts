/**
 * The generated log of trainings, created inside the database, where a million events take seconds.
 *
 * Each user prefers one kind of a hundred items, popular ones more: seven of ten events are of that kind. A larger log extends a
 * smaller one by events of other users in the same three months. The same sizes give the same events.
 */

import { sql } from 'kysely';
import { bucketCountOf } from '../../../src/repository/buckets.ts';
import type { Database } from '../../../src/repository/database.ts';
import { type ItemWrite, upsertItems } from '../../../src/repository/items/items.ts';

export const environment = 'bench';

export type Size = { users: number; events: number };

/** Some seconds of work, which an interruption loses. */
const eventsPerStatement = 250_000;
const itemsPerStatement = 10_000;
/** All events have one lane. */
const lane = 1;
const spanSeconds = 90 * 86_400;

export async function makeItems(db: Database, itemCount: number): Promise<void> {
  for (let start = 0; start < itemCount; start += itemsPerStatement) {
    const count = Math.min(itemsPerStatement, itemCount - start);
    await upsertItems(
      db,
      Array.from({ length: count }, (_, i) => makeItem(start + i)),
    );
  }
}

function makeItem(n: number): ItemWrite {
  const kind = `kind${Math.floor(n / 100)}`;
  const title = `word${n % 997} word${n % 4_001} ${kind}`;
  const document = { title, categories: [kind], brand: `brand${n % 211}` };
  return { environment, itemType: 'product', itemId: String(n), document };
}

export async function countEvents(db: Database): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) from events`.execute(db.kysely);
  return Number(rows[0].count);
}

export type Filling = {
  itemCount: number;
  /** The size before, with other users. */
  before: Size;
  /** The size afterwards. */
  size: Size;
  onProgress(events: number): void;
};

/** Continues an interrupted call with the same size. */
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
  const bucket = lane % (await bucketCountOf(db));
  const kindCount = Math.max(1, Math.floor(itemCount / 100));
  const secondsPerEvent = spanSeconds / (size.events - before.events);
  await db.kysely.transaction().execute(async (transaction) => {
    await sql`select setseed(${sql.lit(1 / (1 + start / eventsPerStatement))})`.execute(transaction);
    await sql`
      insert into events (bucket, environment, lane, number, received_at, occurred_at, event_type, user_id,
        item_type, item_id, page_type, robot, details)
      select ${bucket}::int, ${environment}, ${sql.lit(lane)}, n + 1, clock_timestamp(),
        now() - make_interval(secs => ${sql.lit(spanSeconds)} - (n - ${sql.lit(before.events)}) * ${sql.lit(secondsPerEvent)}),
        case when random() < 0.08 then 'purchase' else 'detail_pageview' end, 'user' || u, 'product',
        case when random() < 0.7
          then ((u * 7919 % ${sql.lit(kindCount)}) * 100 + floor(100 * random() ^ 2))::bigint
          else floor(${sql.lit(itemCount)} * random() ^ 3)::bigint end::text,
        'detail', false, '{}'
      from (
        select n, ${sql.lit(before.users)} + floor(${sql.lit(size.users - before.users)} * random() ^ 1.5)::bigint as u
        from generate_series(${sql.lit(start)}, ${sql.lit(end - 1)}) as n
      ) as drawn`.execute(transaction);
    await sql`
      insert into feeds (bucket, feed, lane, last) values (${bucket}, 'events', ${lane}, ${end}::bigint)
      on conflict (bucket, feed, lane) do update set last = excluded.last`.execute(transaction);
  });
}
