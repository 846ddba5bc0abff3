import test from 'ava';
import { insertFirstSigningKey, listSigningKeys } from '../../../src/repository/security/signing-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const key = (keyId: string) => ({
  keyId,
  algorithm: 'ES256',
  privateJwk: { d: keyId },
  publicJwk: { x: keyId },
});

/** As an operator adds one. */
const insertKey = (db: TestDatabase, keyId: string) =>
  db.kysely
    .insertInto('signing_keys')
    .values({ key_id: keyId, algorithm: 'ES256', private_jwk: '{}', public_jwk: '{}' })
    .execute();

test('keys are listed newest first', async (t) => {
  const db = await createTestDatabase(t);
  await insertKey(db, 'old');
  await insertKey(db, 'new');
  const keys = await listSigningKeys(db);
  t.deepEqual(
    keys.map((row) => row.keyId),
    ['new', 'old'],
  );
  t.like(keys[0], { algorithm: 'ES256', publicJwk: {} });
});

test('nodes that start together agree on one first key, also after all keys were deleted', async (t) => {
  const db = await createTestDatabase(t);
  for (const names of [
    ['a', 'b', 'c', 'd'],
    ['e', 'f', 'g', 'h'],
  ]) {
    const answers = await Promise.all(names.map((keyId) => insertFirstSigningKey(db, key(keyId))));
    const chosen = answers.map((keys) => keys.map((row) => row.keyId));
    t.is(chosen[0].length, 1);
    t.true(names.includes(chosen[0][0]));
    t.deepEqual(chosen, [chosen[0], chosen[0], chosen[0], chosen[0]]);
    await db.pool.query('delete from signing_keys');
  }
});
