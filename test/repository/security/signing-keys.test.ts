import test from 'ava';
import {
  insertFirstSigningKey,
  insertSigningKey,
  listSigningKeys,
} from '../../../src/repository/security/signing-keys.ts';
import { createTestDatabase } from '../../support/database.ts';

const key = (keyId: string) => ({
  keyId,
  algorithm: 'ES256',
  privateJwk: { d: keyId },
  publicJwk: { x: keyId },
});

test('keys are listed newest first', async (t) => {
  const db = await createTestDatabase(t);
  await insertSigningKey(db, key('old'));
  await insertSigningKey(db, key('new'));
  const keys = await listSigningKeys(db);
  t.deepEqual(
    keys.map((row) => row.keyId),
    ['new', 'old'],
  );
  t.like(keys[0], key('new'));
});

test('nodes that start together agree on one first key', async (t) => {
  const db = await createTestDatabase(t);
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((keyId) => insertFirstSigningKey(db, key(keyId))),
  );
  const chosen = answers.map((keys) => keys.map((row) => row.keyId));
  t.is(chosen[0].length, 1);
  t.deepEqual(chosen, [chosen[0], chosen[0], chosen[0], chosen[0]]);
});
