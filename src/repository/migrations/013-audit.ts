import { type Kysely, sql } from 'kysely';

/** Who changed what. Entries are added and never touched again, not even by mistake. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_entries (
      entry_id uuid primary key default gen_random_uuid(),
      changed_at timestamptz not null default clock_timestamp(),
      client_id text collate "C",
      request_id text collate "C",
      action text collate "C" not null,
      resource text collate "C" not null,
      environment text collate "C",
      before json,
      after json
    )`.execute(db);
  await sql`create index audit_entries_changed_at on audit_entries (changed_at, entry_id)`.execute(db);
  await sql`create index audit_entries_resource on audit_entries (resource, changed_at)`.execute(db);
  await sql`
    create function refuse_change() returns trigger language plpgsql as $body$
    begin
      raise exception 'The record of changes is only added to.';
    end
    $body$`.execute(db);
  await sql`
    create trigger audit_entries_append_only before update or delete or truncate on audit_entries
    for each statement execute function refuse_change()`.execute(db);
}
