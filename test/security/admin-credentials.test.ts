import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ensureAdminCredentials } from '../../src/security/admin-credentials.ts';
import { createClients } from '../../src/security/clients.ts';
import { createMemoryClientStore } from './support/stores.ts';

async function setUp(t: ExecutionContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'admin-credentials-'));
  t.teardown(() => rm(dataDir, { recursive: true }));
  const store = createMemoryClientStore();
  const clients = createClients({ store });
  const path = join(dataDir, 'admin-credentials.json');
  const read = async () => JSON.parse(await readFile(path, 'utf8'));
  return { dataDir, store, clients, path, read };
}

test('the first start writes admin credentials that only the owner of the file can read', async (t) => {
  const { dataDir, clients, path, read } = await setUp(t);
  t.deepEqual(await ensureAdminCredentials({ dataDir, clients }), { outcome: 'created', path });
  const file = await read();
  t.deepEqual(Object.keys(file), ['client_id', 'client_secret']);
  const client = await clients.verifySecret(file.client_id, file.client_secret);
  t.deepEqual(client?.scopes, ['admin:*']);
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.deepEqual(await readdir(dataDir), ['admin-credentials.json']);
});

test('a missing directory is created', async (t) => {
  const { dataDir: folder, clients } = await setUp(t);
  const dataDir = join(folder, 'new', 'data');
  const path = join(dataDir, 'admin-credentials.json');
  t.deepEqual(await ensureAdminCredentials({ dataDir, clients }), { outcome: 'created', path });
  t.deepEqual(await readdir(dataDir), ['admin-credentials.json']);
});

test('later starts change nothing', async (t) => {
  const { dataDir, clients, path, read } = await setUp(t);
  await ensureAdminCredentials({ dataDir, clients });
  const before = await read();
  t.deepEqual(await ensureAdminCredentials({ dataDir, clients }), { outcome: 'present', path });
  t.deepEqual(await read(), before);
  t.is((await clients.list(100)).length, 1);
});

test('a start that was interrupted after writing the file is completed by the next', async (t) => {
  const { dataDir, clients, read } = await setUp(t);
  const interrupted = { ...clients, addClient: () => Promise.reject(new Error('interrupted')) };
  await t.throwsAsync(ensureAdminCredentials({ dataDir, clients: interrupted }));
  const file = await read();
  t.is((await ensureAdminCredentials({ dataDir, clients })).outcome, 'created');
  t.deepEqual(await read(), file);
  t.truthy(await clients.verifySecret(file.client_id, file.client_secret));
});

test('the secret of an existing file is treated as user-chosen', async (t) => {
  const { dataDir, store, clients, path } = await setUp(t);
  const clientId = `c_${'1'.repeat(32)}`;
  await writeFile(path, JSON.stringify({ client_id: clientId, client_secret: 'swordfish' }));
  t.is((await ensureAdminCredentials({ dataDir, clients })).outcome, 'created');
  t.truthy(await clients.verifySecret(clientId, 'swordfish'));
  const [stored] = await store.list(1);
  t.regex(stored.secretHash!, /^\$scrypt\$ln=14,/);
});

test('a start that was interrupted while writing the file starts over', async (t) => {
  const { dataDir, clients, path, read } = await setUp(t);
  await writeFile(`${path}.new`, '{"client_id": "c_', { mode: 0o644 });
  await ensureAdminCredentials({ dataDir, clients });
  const file = await read();
  t.truthy(await clients.verifySecret(file.client_id, file.client_secret));
  t.is((await stat(path)).mode & 0o777, 0o600);
});

test('a lost file is not written again while there are clients', async (t) => {
  const { dataDir, clients, path } = await setUp(t);
  await ensureAdminCredentials({ dataDir, clients });
  await rm(path);
  const result = await ensureAdminCredentials({ dataDir, clients });
  t.is(result.outcome, 'missing');
  const { advice } = result as { advice: string };
  t.true(
    advice.includes(`\`personalisation clients create --scope 'admin:*' --data-dir ${dataDir}\``),
    advice,
  );
  t.deepEqual(await readdir(dataDir), []);
});

test('a disabled admin remains disabled', async (t) => {
  const { dataDir, clients, read } = await setUp(t);
  await ensureAdminCredentials({ dataDir, clients });
  const file = await read();
  await clients.disable(file.client_id);
  t.is((await ensureAdminCredentials({ dataDir, clients })).outcome, 'present');
  t.is(await clients.verifySecret(file.client_id, file.client_secret), undefined);
});

for (const text of [
  '',
  '{',
  'null',
  '[]',
  '{"client_id": "admin", "client_secret": "x"}',
  '{"client_id": 1}',
]) {
  test(`a file with ${JSON.stringify(text)} stops the start and is not changed`, async (t) => {
    const { dataDir, clients, path } = await setUp(t);
    await writeFile(path, text);
    await t.throwsAsync(ensureAdminCredentials({ dataDir, clients }), { message: /admin-credentials\.json/ });
    t.is(await readFile(path, 'utf8'), text);
    t.is((await clients.list(100)).length, 0);
  });
}
