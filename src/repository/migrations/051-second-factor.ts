import { type Kysely, sql } from 'kysely';

/** A person's second factor, the latest used 30 seconds of its codes, and the account of OpenID Connect. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table clients
      add column totp_key json,
      add column totp_step integer,
      add column recovery_hashes text[] collate "C" not null default '{}',
      add column oidc_subject text collate "C"`.execute(db);
}
