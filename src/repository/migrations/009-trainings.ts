import { type Kysely, sql } from 'kysely';

/**
 * Trained models by version, which version each environment is served with, and a record of every
 * training with the places in the feeds of events and items up to which it has read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createModels(db);
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
      events_until json,
      items_until json
    )`.execute(db);
  await sql`
    create index trainings_environment_requested on trainings (environment, requested_at desc)`.execute(db);
  for (const state of ['queued', 'running'])
    await sql`
      create unique index ${sql.ref(`trainings_${state}`)} on trainings (environment)
      where state = ${sql.lit(state)}`.execute(db);
}

async function createModels(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table model_versions (
      environment text collate "C" not null,
      version integer not null,
      byte_length bigint not null,
      chunk_count integer not null,
      is_whole boolean not null default false,
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
}
