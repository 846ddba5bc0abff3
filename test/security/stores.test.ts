import test from 'ava';
import { createClients } from '../../src/security/clients.ts';
import { createKeyRing } from '../../src/security/jwt/key-ring.ts';
import { createKeySealer } from '../../src/security/jwt/sealed-keys.ts';
import { createTokens } from '../../src/security/jwt/tokens.ts';
import { createClientStore, createSigningKeyStore } from '../../src/security/stores.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestClock } from './support/clock.ts';

test('nodes that start together on one database agree on one signing key', async (t) => {
  const db = await createTestDatabase(t);
  const { clock, elapsedMs } = createTestClock();
  const start = () => createKeyRing({ store: createSigningKeyStore(db), elapsedMs });
  const rings = await Promise.all([start(), start(), start(), start(), start()]);
  const keyIds = await Promise.all(rings.map(async (ring) => (await ring.newest()).keyId));
  t.is(new Set(keyIds).size, 1);
  t.is((await createSigningKeyStore(db).list()).length, 1);
  const nodes = rings.map((keys) => createTokens({ keys, clock }));
  const token = await nodes[0].issue({ clientId: 'c_1', scopes: ['items:*'], lifetimeSeconds: 60 });
  for (const node of nodes) t.truthy(await node.verify(token));
});

test('a node that starts later verifies and signs with the stored key', async (t) => {
  const db = await createTestDatabase(t);
  const { clock, elapsedMs } = createTestClock();
  const start = async () =>
    createTokens({ keys: await createKeyRing({ store: createSigningKeyStore(db), elapsedMs }), clock });
  const token = await (await start()).issue({ clientId: 'c_1', scopes: ['items:*'], lifetimeSeconds: 60 });
  const later = await start();
  t.truthy(await later.verify(token));
  t.is((await later.jwks()).keys.length, 1);
});

test('clients and write keys are stored, found, listed and disabled', async (t) => {
  const db = await createTestDatabase(t);
  const clients = createClients({ store: createClientStore(db) });
  const own = await clients.createClient({ name: 'shop', scopes: ['items:shop', 'events:*'] });
  const origins = ['https://shop.example'];
  const writeKey = await clients.createWriteKey({ name: 'page', scopes: ['events:shop'], origins });
  t.like(await clients.verifySecret(own.clientId, own.clientSecret), {
    name: 'shop',
    scopes: ['items:shop', 'events:*'],
  });
  t.like(await clients.find(writeKey), {
    kind: 'write_key',
    origins,
    disabledAt: undefined,
    secretHash: undefined,
  });
  t.is((await clients.list(100)).length, 2);
  t.true(await clients.disable(own.clientId));
  t.is(await clients.verifySecret(own.clientId, own.clientSecret), undefined);
  await t.throwsAsync(
    clients.addClient({ ...own, origin: 'random' }, { name: 'again', scopes: ['items:*'] }),
  );
});

test('a passphrase encrypts the signing key, even an existing one, and tokens stay valid', async (t) => {
  const db = await createTestDatabase(t);
  const { clock, elapsedMs } = createTestClock();
  const start = async (passphrase?: string) => {
    const store = createSigningKeyStore(db, createKeySealer(passphrase));
    return createTokens({ keys: await createKeyRing({ store, elapsedMs }), clock });
  };
  const storedText = async () =>
    (await db.pool.query('select private_jwk::text as text from signing_keys')).rows[0].text;
  const token = await (await start()).issue({ clientId: 'c_1', scopes: ['items:*'], lifetimeSeconds: 60 });
  t.regex(await storedText(), /"d":/);
  const passphrase = 'a passphrase of more than thirty-two characters';
  const sealed = await start(passphrase);
  t.truthy(await sealed.verify(token));
  t.notRegex(await storedText(), /"d":/);
  const again = await start(passphrase);
  t.truthy(await again.verify(await sealed.issue({ clientId: 'c_1', scopes: [], lifetimeSeconds: 60 })));
  for (const wrong of [undefined, `another ${passphrase}`])
    await t.throwsAsync(start(wrong), { message: /SIGNING_KEY_PASSPHRASE/ });
  t.throws(() => createKeySealer('too short'), { message: /at least 32/ });
});
