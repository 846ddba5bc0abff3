import test from 'ava';
import pg from 'pg';
import { createDatabase } from '../../src/repository/database.ts';
import { migrate } from '../../src/repository/migrations.ts';
import { checkServer } from '../../src/repository/server-check.ts';
import { createTestDatabase } from '../support/database.ts';
import { poolOf } from '../support/pool-of.ts';

test('a supported server passes the check of its version', async (t) => {
  await t.notThrowsAsync(checkServer(await createTestDatabase(t)));
});

const refused: [title: string, row: object, message: RegExp][] = [
  ['an older server', { number: 140_010, version: '14.10', encoding: 'UTF8' }, /14\.10.*15/],
  [
    'a database that cannot store all texts',
    { number: 170_002, version: '17.2', encoding: 'LATIN1' },
    /LATIN1.*UTF8/,
  ],
];

for (const [title, row, message] of refused) {
  test(`${title} is refused with a reason`, async (t) => {
    const { INT4, TEXT } = pg.types.builtins;
    const fields = [
      { name: 'number', dataTypeID: INT4 },
      { name: 'version', dataTypeID: TEXT },
      { name: 'encoding', dataTypeID: TEXT },
    ];
    const pool = poolOf(async () => ({ rows: [row], fields: fields as pg.FieldDef[] }));
    const refusal = await t.throwsAsync(checkServer({ ...(await createTestDatabase(t)), pool }), { message });
    t.like(refusal, { reason: 'UNAVAILABLE' });
  });
}

test('a read-only database is refused with a reason, except for reading', async (t) => {
  const { pool, connection } = await createTestDatabase(t);
  await pool.query(`alter database ${connection.database} set default_transaction_read_only = on`);
  const db = createDatabase(connection, { poolSize: 1 });
  t.teardown(db.close);
  await t.notThrowsAsync(checkServer(db));
  const refusal = await t.throwsAsync(migrate(db), {
    message: /is read-only.*default_transaction_read_only/,
  });
  t.like(refusal, { reason: 'UNAVAILABLE' });
});
