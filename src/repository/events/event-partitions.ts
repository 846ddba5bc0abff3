/** The events' daily partitions (UTC days of arrival), made ahead of time. */
import { sql, type Transaction } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

/** Today and a week: the service may miss its daily call for so long before rows go to the default partition. */
const daysAhead = 7;

const partitionLock = 7_317_002;

/**
 * Makes what is missing of today's and the coming days' partitions; to be called at start and at least daily.
 * A day that already has rows in the default partition stays there: moving them would lock out writers.
 */
export async function ensureEventPartitions(db: Database): Promise<void> {
  await db.kysely.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(transaction);
    for (const day of await listMissingDays(transaction)) await createPartition(transaction, day);
  });
}

/** As `YYYY-MM-DD`. */
async function listMissingDays(transaction: Transaction<Schema>): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    with days as (
      select (now() at time zone 'UTC')::date + ahead as day from generate_series(0, ${sql.lit(daysAhead)}) as ahead
    )
    select to_char(day, 'YYYY-MM-DD') as day from days
    where to_regclass('events_' || to_char(day, 'YYYYMMDD')) is null
      and not exists (
        select from events_default
        where received_at >= day::timestamp at time zone 'UTC'
          and received_at < (day + 1)::timestamp at time zone 'UTC'
      )`.execute(transaction);
  return rows.map((row) => row.day);
}

/** Attaching, unlike creating in place, lets writers of the other partitions go on. */
async function createPartition(transaction: Transaction<Schema>, day: string): Promise<void> {
  const name = sql.table(`events_${day.replaceAll('-', '')}`);
  const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  await sql`create table ${name} (like events including defaults)`.execute(transaction);
  await sql`
    alter table events attach partition ${name}
    for values from (${sql.lit(`${day} 00:00+00`)}) to (${sql.lit(`${next} 00:00+00`)})`.execute(transaction);
}
