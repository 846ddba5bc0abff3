import { type Kysely, sql } from 'kysely';

/** The newest trained models of each environment, in chunks, so that a start need not train before it serves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table model_snapshots (
      environment text collate "C" not null,
      chunk integer not null,
      created_at timestamptz not null default now(),
      bytes bytea not null,
      primary key (environment, chunk)
    )`.execute(db);
  await sql`alter table model_snapshots alter column bytes set storage external`.execute(db);
}
