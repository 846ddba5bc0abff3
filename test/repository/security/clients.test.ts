import test from 'ava';
import {
  disableClient,
  findClient,
  insertClient,
  listClients,
} from '../../../src/repository/security/clients.ts';
import { createTestDatabase } from '../../support/database.ts';

const backend = {
  clientId: 'c1',
  kind: 'confidential' as const,
  name: 'Back end',
  secretHash: 'hash',
  scopes: ['items:*', 'events:shop'],
  origins: [],
};

const page = {
  clientId: 'w1',
  kind: 'write_key' as const,
  name: 'Shop, "front end"',
  scopes: ['events:shop'],
  origins: ['https://shop.example'],
};

test('a client is found as it was created', async (t) => {
  const db = await createTestDatabase(t);
  t.true(await insertClient(db, backend));
  t.like(await findClient(db, 'c1'), { ...backend, disabledAt: undefined });
  t.is(await findClient(db, 'unknown'), undefined);
});

test('an ID is used once', async (t) => {
  const db = await createTestDatabase(t);
  await insertClient(db, backend);
  t.false(await insertClient(db, { ...backend, name: 'Another' }));
  t.is((await findClient(db, 'c1'))?.name, 'Back end');
});

test('clients are listed in the order of creation', async (t) => {
  const db = await createTestDatabase(t);
  await insertClient(db, page);
  await insertClient(db, backend);
  t.deepEqual(
    (await listClients(db, 100)).map((client) => client.clientId),
    ['w1', 'c1'],
  );
  const after = async (clientId: string) =>
    (await listClients(db, 1, clientId)).map((client) => client.clientId);
  t.deepEqual([await after('w1'), await after('c1'), await after('unknown')], [['c1'], [], []]);
});

test('a client is disabled once; the time of a repetition does not count', async (t) => {
  const db = await createTestDatabase(t);
  await insertClient(db, page);
  t.true(await disableClient(db, 'w1'));
  const disabledAt = (await findClient(db, 'w1'))?.disabledAt;
  t.truthy(disabledAt);
  t.true(await disableClient(db, 'w1'));
  t.deepEqual((await findClient(db, 'w1'))?.disabledAt, disabledAt);
  t.false(await disableClient(db, 'unknown'));
});
