import { type Kysely, sql } from 'kysely';

/**
 * Alerts about placements: `metric` deviates from `from_hour` on (hours since 1970, UTC). Counts up
 * to `used_hour` decided about the latest change of the alert. `alert_checks` has the first hour
 * that the latest check of an environment left out.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table alerts (
      alert_id uuid primary key default gen_random_uuid(),
      environment text collate "C" not null,
      placement text collate "C" not null,
      metric text not null,
      from_hour integer not null,
      used_hour integer not null,
      expected double precision not null,
      observed double precision not null,
      raised_at timestamptz not null,
      resolved_at timestamptz
    )`.execute(db);
  await sql`create index alerts_raised on alerts (environment, raised_at, alert_id)`.execute(db);
  await sql`create unique index alerts_open on alerts (environment, placement, metric)
    where resolved_at is null`.execute(db);
  await sql`
    create table alert_checks (
      environment text collate "C" primary key,
      until_hour integer not null
    )`.execute(db);
}
