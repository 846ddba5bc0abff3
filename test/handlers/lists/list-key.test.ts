import test from 'ava';
import {
  isSecret,
  listKeyOf,
  listRowOf,
  newListSecret,
  readListKey,
} from '../../../src/handlers/lists/list-key.ts';

const requestId = '0b7f4a52-9d1c-4f0e-8a36-5c2dffffffff';

test('secrets have 128 bits and are unique, beyond one block of random bytes', (t) => {
  const secrets = Array.from({ length: 1_000 }, newListSecret);
  t.is(new Set(secrets).size, secrets.length);
  for (const secret of secrets) t.is(Buffer.from(secret, 'base64url').length, 16);
});

test('rows of an answer’s lists have distinct names derived from its request', (t) => {
  t.deepEqual(
    [0, 1, 2].map((place) => listRowOf(requestId, place)),
    ['00000000', '00000001', '00000002'].map((end) => `0b7f4a52-9d1c-4f0e-8a36-5c2d${end}`),
  );
});

test('only a row with a secret is a key', (t) => {
  const secret = newListSecret();
  t.deepEqual(readListKey(listKeyOf(requestId, secret)), { row: requestId, secret });
  for (const other of ['', requestId, `${requestId}.`, `${requestId}.${secret}.${secret}`])
    t.is(readListKey(other), undefined);
});

test('a secret is valid for its row only; a row without a secret has no page', (t) => {
  const secret = newListSecret();
  t.true(isSecret(secret, secret));
  for (const other of ['', secret.slice(1), newListSecret()]) t.false(isSecret(other, secret));
  t.false(isSecret(secret, undefined));
});
