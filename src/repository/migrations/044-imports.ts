import { type Kysely, sql } from 'kysely';

/**
 * Imports, with the parts of their files and the records that were rejected. An import with a file
 * has one of the slots of its environment, which bound the files. `rejected_records` has a row for
 * each range of lines with some: `through` counts those up to its end, and JSON stores any text.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table imports (
      import_id uuid primary key default gen_random_uuid(),
      environment text collate "C" not null,
      file_name text not null,
      format text not null,
      columns text[] not null,
      slot integer,
      state text not null default 'uploading',
      part_count integer not null default 0,
      mapping text not null default '',
      item_type text,
      validate_only boolean not null default false,
      last_line integer not null default 0,
      progress double precision not null default 0,
      counts json not null default '{}',
      causes json not null default '[]',
      heading json,
      failure text,
      attempts integer not null default 0,
      node text,
      heartbeat_at timestamptz,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      started_at timestamptz,
      ended_at timestamptz,
      unique (environment, slot)
    )`.execute(db);
  await sql`create index imports_created on imports (environment, created_at, import_id)`.execute(db);
  await sql`
    create table import_parts (
      import_id uuid not null references imports on delete cascade,
      part integer not null,
      content text not null,
      primary key (import_id, part)
    )`.execute(db);
  await sql`
    create table rejected_records (
      import_id uuid not null references imports on delete cascade,
      through integer not null,
      records text not null,
      primary key (import_id, through)
    )`.execute(db);
}
