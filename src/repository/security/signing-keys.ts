/** The keys that sign access tokens, shared by all nodes. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** The keys are JWKs (RFC 7517). */
type SigningKeyRow = {
  keyId: string;
  algorithm: string;
  privateJwk: unknown;
  publicJwk: unknown;
  createdAt: Date;
};

type NewSigningKey = Omit<SigningKeyRow, 'createdAt'>;

/** Lists the keys, the newest first. */
export function listSigningKeys({ kysely }: Database): Promise<SigningKeyRow[]> {
  return kysely
    .selectFrom('signing_keys')
    .select(['key_id as keyId', 'algorithm', 'created_at as createdAt'])
    .select(['private_jwk as privateJwk', 'public_jwk as publicJwk'])
    .orderBy('created_at', 'desc')
    .orderBy('key_id')
    .execute();
}

/** Replaces the stored form of a private key. */
export async function updateSigningKey(
  db: Database,
  { keyId, privateJwk }: Pick<SigningKeyRow, 'keyId' | 'privateJwk'>,
): Promise<void> {
  const columns = { private_jwk: JSON.stringify(privateJwk) };
  await db.kysely.updateTable('signing_keys').set(columns).where('key_id', '=', keyId).execute();
}

/**
 * Stores the key unless there is one, and returns all keys. Nodes that start together agree on one,
 * also after an operator deleted all keys: the first replaces the setting that the others saw.
 */
export async function insertFirstSigningKey(db: Database, key: NewSigningKey): Promise<SigningKeyRow[]> {
  const { keyId, algorithm, privateJwk, publicJwk } = key;
  await sql`
    with first as (
      insert into settings (key, value) values ('first_signing_key', ${JSON.stringify(keyId)}::json)
      on conflict (key) do update set value = excluded.value
        where settings.value::text = (select value::text from settings as seen where seen.key = 'first_signing_key')
          and not exists (select from signing_keys)
      returning 1
    )
    insert into signing_keys (key_id, algorithm, private_jwk, public_jwk)
    select ${keyId}, ${algorithm}, ${JSON.stringify(privateJwk)}::json, ${JSON.stringify(publicJwk)}::json from first
    where not exists (select from signing_keys)`.execute(db.kysely);
  return listSigningKeys(db);
}
