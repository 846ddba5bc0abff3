import { type Kysely, sql } from 'kysely';

/** The keys that sign access tokens; every node signs with the newest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table signing_keys (
      key_id text collate "C" primary key,
      algorithm text not null,
      private_jwk json not null,
      public_jwk json not null,
      created_at timestamptz not null default now()
    )`.execute(db);
}
