import { type Kysely, sql } from 'kysely';

/**
 * Who may call: confidential clients with a secret, write keys bound to origins; and the keys that
 * sign access tokens, of which every node uses the newest.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table clients (
      client_id text collate "C" primary key,
      kind text not null check (kind in ('confidential', 'write_key')),
      name text not null,
      secret_hash text,
      scopes text[] not null,
      origins text[] not null,
      created_at timestamptz not null default now(),
      disabled_at timestamptz
    )`.execute(db);
  await sql`
    create table signing_keys (
      key_id text collate "C" primary key,
      algorithm text not null,
      private_jwk json not null,
      public_jwk json not null,
      created_at timestamptz not null default now()
    )`.execute(db);
}
