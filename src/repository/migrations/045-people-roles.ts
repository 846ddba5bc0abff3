import { type Kysely, sql } from 'kysely';

/**
 * People are clients of a third kind, whose scopes are roles. A one-time link, stored as a hash,
 * sets the password. A draft with a proposal waits for a publisher.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table clients
      drop constraint clients_kind_check,
      add constraint clients_kind_check check (kind in ('confidential', 'write_key', 'person')),
      add column email text collate "C" unique,
      add column session integer not null default 1,
      add column link_hash text collate "C",
      add column link_expires_at timestamptz`.execute(db);
  await sql`alter table configuration_drafts add column proposal text`.execute(db);
}
