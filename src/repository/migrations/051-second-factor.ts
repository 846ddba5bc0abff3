import { type Kysely, sql } from 'kysely';

/** A person's second factor, and the latest used 30 seconds of its codes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table clients
      add column totp_key json,
      add column totp_step integer,
      add column recovery_hashes text[] collate "C" not null default '{}'`.execute(db);
}
