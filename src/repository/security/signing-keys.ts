/** The keys that sign access tokens, shared by all nodes. */
import { type Selectable, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

/** The keys are JWKs (RFC 7517). */
export type SigningKeyRow = {
  keyId: string;
  algorithm: string;
  privateJwk: unknown;
  publicJwk: unknown;
  createdAt: Date;
};

export type NewSigningKey = Omit<SigningKeyRow, 'createdAt'>;

/** Newest first. */
export async function listSigningKeys(db: Database): Promise<SigningKeyRow[]> {
  const found = db.kysely.selectFrom('signing_keys').selectAll();
  return (await found.orderBy('created_at', 'desc').orderBy('key_id').execute()).map(readSigningKey);
}

/** Stores the same private key in another form. */
export async function updateSigningKey(
  db: Database,
  { keyId, privateJwk }: Pick<SigningKeyRow, 'keyId' | 'privateJwk'>,
): Promise<void> {
  const columns = { private_jwk: JSON.stringify(privateJwk) };
  await db.kysely.updateTable('signing_keys').set(columns).where('key_id', '=', keyId).execute();
}

/** Stores the key when there is none yet, and returns all keys: nodes that start together agree on one. */
export async function insertFirstSigningKey(db: Database, key: NewSigningKey): Promise<SigningKeyRow[]> {
  const { key_id, algorithm, private_jwk, public_jwk } = toColumns(key);
  await sql`
    with first as (
      insert into settings (key, value) values ('first_signing_key', ${JSON.stringify(key_id)}::json)
      on conflict do nothing returning 1
    )
    insert into signing_keys (key_id, algorithm, private_jwk, public_jwk)
    select ${key_id}, ${algorithm}, ${private_jwk}::json, ${public_jwk}::json from first
    where not exists (select from signing_keys)`.execute(db.kysely);
  return listSigningKeys(db);
}

function toColumns(key: NewSigningKey) {
  return {
    key_id: key.keyId,
    algorithm: key.algorithm,
    private_jwk: JSON.stringify(key.privateJwk),
    public_jwk: JSON.stringify(key.publicJwk),
  };
}

function readSigningKey(row: Selectable<Schema['signing_keys']>): SigningKeyRow {
  return {
    keyId: row.key_id,
    algorithm: row.algorithm,
    privateJwk: row.private_jwk,
    publicJwk: row.public_jwk,
    createdAt: row.created_at,
  };
}
