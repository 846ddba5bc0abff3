import { type Kysely, sql } from 'kysely';

/**
 * Lines on their way from a device's history to its user's, which lies in another bucket. A row is
 * numbered within its bucket and stays until the user's bucket has taken it.
 *
 * `freed_at` of a device is when its last user left it, in microseconds since 1970. `past_devices` of
 * a user are devices that the user has left: arrays of the device, and the times after which and
 * until which its events without a user are the user's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table handovers (
      bucket integer not null,
      number bigint not null,
      environment text collate "C" not null,
      subject text collate "C" not null,
      user_id text collate "C" not null,
      since_at bigint,
      until_at bigint,
      entries text collate "C" not null,
      impressions text collate "C" not null,
      consumed text collate "C" not null,
      primary key (bucket, number)
    )`.execute(db);
  await sql`create index handovers_subject on handovers (bucket, environment, subject, number)`.execute(db);
  await sql`alter table histories add column freed_at bigint, add column past_devices jsonb`.execute(db);
}
