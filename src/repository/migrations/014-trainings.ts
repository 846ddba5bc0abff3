import { type Kysely, sql } from 'kysely';

/**
 * Trained models by version, which version each environment is served with, and a record of every training.
 *
 * The unversioned snapshots are dropped: they hold nothing that a start does not train again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop table model_snapshots`.execute(db);
  await sql`
    create table model_versions (
      environment text collate "C" not null,
      version integer not null,
      byte_length bigint not null,
      chunk_count integer not null,
      created_at timestamptz not null default now(),
      primary key (environment, version)
    )`.execute(db);
  await sql`
    create table model_snapshots (
      environment text collate "C" not null,
      version integer not null,
      chunk integer not null,
      bytes bytea not null,
      primary key (environment, version, chunk),
      foreign key (environment, version) references model_versions on delete cascade
    )`.execute(db);
  await sql`alter table model_snapshots alter column bytes set storage external`.execute(db);
  await sql`
    create table served_models (
      environment text collate "C" primary key,
      version integer not null,
      held boolean not null default false,
      foreign key (environment, version) references model_versions
    )`.execute(db);
  await sql`
    create table trainings (
      training_id uuid primary key default gen_random_uuid(),
      environment text collate "C" not null,
      reason text not null,
      state text not null default 'queued',
      attempts integer not null default 0,
      stage text,
      progress real not null default 0,
      node text,
      requested_at timestamptz not null default clock_timestamp(),
      started_at timestamptz,
      heartbeat_at timestamptz,
      ended_at timestamptz,
      decision text,
      version integer,
      item_count integer,
      event_count integer,
      question_count integer,
      quality double precision,
      served_quality double precision,
      until_sequence bigint,
      items_snapshot pg_snapshot
    )`.execute(db);
  await sql`create index trainings_environment_requested on trainings (environment, requested_at desc)`.execute(
    db,
  );
  await sql`create unique index trainings_queued on trainings (environment) where state = 'queued'`.execute(
    db,
  );
  await sql`create unique index trainings_running on trainings (environment) where state = 'running'`.execute(
    db,
  );
}
