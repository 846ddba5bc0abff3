import test from 'ava';
import { createClients } from '../../src/security/clients.ts';
import { createDecoyHash, hashSecret, matchesHash } from '../../src/security/secrets/scrypt.ts';
import { errorOf, outcomeOf } from './support/reasons.ts';
import { createMemoryClientStore } from './support/stores.ts';

function setUp() {
  const store = createMemoryClientStore();
  return { store, clients: createClients({ store }) };
}

test('a new client is stored with a hash and never with its secret', async (t) => {
  const { store, clients } = setUp();
  const { clientId, clientSecret } = await clients.createClient({ name: 'shop', scopes: ['items:shop'] });
  t.regex(clientId, /^c_[0-9a-f]{32}$/);
  t.regex(clientSecret, /^cs_[A-Za-z0-9_-]{43}$/);
  const [stored] = await store.list(100);
  t.regex(stored.secretHash!, /^\$scrypt\$ln=1,r=8,p=1\$/);
  t.false(JSON.stringify(stored).includes(clientSecret));
});

test('ids and secrets are unique', async (t) => {
  const { clients } = setUp();
  const first = await clients.createClient({ name: 'a', scopes: ['items:*'] });
  const second = await clients.createClient({ name: 'a', scopes: ['items:*'] });
  t.not(first.clientId, second.clientId);
  t.not(first.clientSecret, second.clientSecret);
});

test('a secret is verified for its own enabled client only', async (t) => {
  const { clients, store } = setUp();
  const own = await clients.createClient({ name: 'own', scopes: ['items:*'] });
  const other = await clients.createClient({ name: 'other', scopes: ['items:*'] });
  const writeKey = await clients.createWriteKey({
    name: 'page',
    scopes: ['events:shop'],
    origins: ['https://shop.example'],
  });
  const verify = async (id: string, secret: string) => (await clients.verifySecret(id, secret))?.clientId;
  t.is(await verify(own.clientId, own.clientSecret), own.clientId);
  const elsewhere = createClients({ store });
  t.is((await elsewhere.verifySecret(own.clientId, own.clientSecret))?.clientId, own.clientId);
  t.is(await elsewhere.verifySecret(own.clientId, other.clientSecret), undefined);
  t.is(await verify(own.clientId, other.clientSecret), undefined);
  t.is(await verify(own.clientId, `${own.clientSecret}x`), undefined);
  t.is(await verify(own.clientId, ''), undefined);
  t.is(await verify(`c_${'0'.repeat(32)}`, own.clientSecret), undefined);
  t.is(await verify('\0', own.clientSecret), undefined);
  t.is(await verify(writeKey, ''), undefined);
  await clients.disable(own.clientId);
  t.is(await verify(own.clientId, own.clientSecret), undefined);
});

test('a user-chosen secret is expensive to guess', async (t) => {
  const { store, clients } = setUp();
  const credentials = {
    clientId: `c_${'1'.repeat(32)}`,
    clientSecret: 'swordfish',
    origin: 'chosen' as const,
  };
  await clients.addClient(credentials, { name: 'by hand', scopes: ['items:*'] });
  const [stored] = await store.list(100);
  t.regex(stored.secretHash!, /^\$scrypt\$ln=14,r=8,p=1\$/);
  t.truthy(await createClients({ store }).verifySecret(credentials.clientId, 'swordfish'));
  t.is(await clients.verifySecret(credentials.clientId, 'Swordfish'), undefined);
});

test('callers beyond the queue for hashing get RATE_LIMITED', async (t) => {
  const { clients } = setUp();
  const attempts = Array.from({ length: 40 }, () => outcomeOf(() => clients.verifySecret('c_x', 'guess')));
  const outcomes = await Promise.all(attempts);
  t.is(outcomes.filter((outcome) => outcome === 'ok').length, 34);
  t.is(outcomes.filter((outcome) => outcome === 'RATE_LIMITED').length, 6);
});

test('a new client takes precedence over guesses that wait for their hashes', async (t) => {
  const { clients } = setUp();
  const { clientId, clientSecret } = await clients.createClient({ name: 'new', scopes: ['items:*'] });
  const guesses = Array.from({ length: 34 }, () => clients.verifySecret('c_x', 'guess'));
  t.is((await clients.verifySecret(clientId, clientSecret))?.clientId, clientId);
  t.deepEqual(new Set(await Promise.all(guesses)), new Set([undefined]));
});

test('an id cannot be used twice', async (t) => {
  const { clients } = setUp();
  const credentials = await clients.createClient({ name: 'a', scopes: ['items:*'] });
  const again = { ...credentials, origin: 'random' as const };
  await t.throwsAsync(clients.addClient(again, { name: 'b', scopes: ['items:*'] }));
});

const refusedClients: [why: string, client: { name: string; scopes: string[] }, pointer: string][] = [
  ['an empty name', { name: ' ', scopes: ['items:*'] }, '/name'],
  ['a name of 201 characters', { name: 'x'.repeat(201), scopes: ['items:*'] }, '/name'],
  ['no scope', { name: 'a', scopes: [] }, '/scopes'],
  ['an unknown scope', { name: 'a', scopes: ['orders:*'] }, '/scopes/0'],
];

for (const [why, client, pointer] of refusedClients) {
  test(`a client with ${why} is refused`, async (t) => {
    const error = await errorOf(() => setUp().clients.createClient(client));
    t.is(error?.reason, 'BODY_INVALID');
    t.is(error?.violations[0].pointer, pointer);
  });
}

const origins = ['https://shop.example'];
const refusedKeys: [why: string, key: { scopes: string[]; origins: string[] }, pointer: string][] = [
  ['events everywhere', { scopes: ['events:*'], origins }, '/scopes/0'],
  ['another area', { scopes: ['events:shop', 'items:shop'], origins }, '/scopes/1'],
  ['admin', { scopes: ['admin:shop'], origins }, '/scopes/0'],
  ['no origin', { scopes: ['events:shop'], origins: [] }, '/origins'],
  ['65 origins', { scopes: ['events:shop'], origins: manyOrigins(65) }, '/origins'],
  ['any origin', { scopes: ['events:shop'], origins: ['*'] }, '/origins/0'],
  ['the null origin', { scopes: ['events:shop'], origins: ['null'] }, '/origins/0'],
  ['a path', { scopes: ['events:shop'], origins: ['https://shop.example/cart'] }, '/origins/0'],
  ['a query', { scopes: ['events:shop'], origins: ['https://shop.example?'] }, '/origins/0'],
  ['a user', { scopes: ['events:shop'], origins: ['https://me@shop.example'] }, '/origins/0'],
  ['a scheme other than http and https', { scopes: ['events:shop'], origins: ['file:///x'] }, '/origins/0'],
  ['a host without a scheme', { scopes: ['events:shop'], origins: ['shop.example'] }, '/origins/0'],
];

function manyOrigins(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://s${index}.example`);
}

for (const [why, key, pointer] of refusedKeys) {
  test(`a write key for ${why} is refused`, async (t) => {
    const error = await errorOf(() => setUp().clients.createWriteKey({ name: 'page', ...key }));
    t.is(error?.reason, 'BODY_INVALID');
    t.is(error?.violations[0].pointer, pointer);
  });
}

test('the origins of a write key are stored as browsers send them', async (t) => {
  const { clients } = setUp();
  const written = ['HTTPS://Shop.Example:443/', 'https://shop.example', 'http://localhost:3000'];
  const writeKey = await clients.createWriteKey({ name: 'page', scopes: ['events:shop'], origins: written });
  t.regex(writeKey, /^wk_[0-9a-f]{32}$/);
  const stored = await clients.find(writeKey);
  t.deepEqual(stored?.origins, ['https://shop.example', 'http://localhost:3000']);
  t.is(stored?.secretHash, undefined);
});

test('disabling reports whether the client exists, and is repeatable', async (t) => {
  const { clients } = setUp();
  const { clientId } = await clients.createClient({ name: 'a', scopes: ['items:*'] });
  t.true(await clients.disable(clientId));
  t.true(await clients.disable(clientId));
  t.false(await clients.disable('c_nobody'));
});

test('a hash contains its salt and parameters, and no secret matches the decoy', async (t) => {
  for (const origin of ['random', 'chosen'] as const) {
    const hash = await hashSecret('secret', origin);
    t.not(hash, await hashSecret('secret', origin));
    t.true(await matchesHash('secret', hash));
    t.false(await matchesHash('Secret', hash));
  }
  t.false(await matchesHash('secret', createDecoyHash()));
  const cheaper = '$scrypt$ln=4,r=8,p=1$c2FsdA$e2Sum2W2M8jU3xxgC9ky5PLZEDzx4BVJ8tvT95zpqPo';
  t.is(typeof (await matchesHash('secret', cheaper)), 'boolean');
  await t.throwsAsync(matchesHash('secret', 'plain'));
});
