import test from 'ava';
import pg from 'pg';
import { checkServer } from '../../src/repository/server-check.ts';
import { createTestDatabase } from '../support/database.ts';
import { poolOf } from '../support/pool-of.ts';

test('a supported server passes the check of its version', async (t) => {
  await t.notThrowsAsync(checkServer(await createTestDatabase(t)));
});

test('an older server is refused with its version', async (t) => {
  const rows = [{ number: 140_010, version: '14.10' }];
  const { INT4, TEXT } = pg.types.builtins;
  const fields = [
    { name: 'number', dataTypeID: INT4 },
    { name: 'version', dataTypeID: TEXT },
  ];
  const pool = poolOf(async () => ({ rows, fields: fields as pg.FieldDef[] }));
  const old = { ...(await createTestDatabase(t)), pool };
  const refusal = await t.throwsAsync(checkServer(old), { message: /14\.10.*15/ });
  t.like(refusal, { reason: 'UNAVAILABLE' });
});
