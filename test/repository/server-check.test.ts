import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { createDatabase, databaseFaults, execute } from '../../src/repository/database.ts';
import { migrate } from '../../src/repository/migrations.ts';
import { checkServer, checkWritable } from '../../src/repository/server-check.ts';
import { makeCertificate } from '../support/certificate.ts';
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
  const message = databaseFaults.readOnly;
  t.like(await t.throwsAsync(migrate(db), { message }), { reason: 'UNAVAILABLE' });
  const write = execute(db, '', 'delete from settings', []);
  t.like(await t.throwsAsync(write, { message }), { reason: 'UNAVAILABLE' });
});

/** Processes of the server that answer the statements of two connections of a pooler, in their order. */
const pooled: [title: string, pids: [number[], number[]], isShared: boolean][] = [
  ['a pool in session mode', [[7], [8]], false],
  ['a pool in transaction mode with one session', [[7], [7]], true],
  ['a pool in transaction mode that uses its sessions in turn', [[7, 8], [9]], true],
  ['a pool in transaction mode that other clients use', [[7], [8, 9]], true],
];

for (const [title, pids, isShared] of pooled)
  test(`${title} is ${isShared ? 'refused with a reason' : 'accepted'}`, async (t) => {
    const { INT4, BOOL } = pg.types.builtins;
    const fields = [
      { name: 'pid', dataTypeID: INT4 },
      { name: 'isReadOnly', dataTypeID: BOOL },
    ] as pg.FieldDef[];
    const clients = pids.map((own) => {
      let count = 0;
      return poolOf<pg.QueryConfig>(async ({ text }) => {
        const pid = own[count++ % own.length];
        return text.includes('isReadOnly')
          ? { rows: [{ pid, isReadOnly: false }], fields }
          : { rows: [{ pid }], fields: fields.slice(0, 1) };
      });
    });
    const pool = { connect: async () => clients.shift()!.connect() } as unknown as pg.Pool;
    const check = checkWritable({ pool });
    if (isShared) t.like(await t.throwsAsync(check), { message: databaseFaults.pooled });
    else await t.notThrowsAsync(check);
  });

/** A server with a self-signed certificate that refuses every user. */
async function startTlsServer(t: ExecutionContext): Promise<number> {
  const { certificate: cert, key } = makeCertificate();
  const fields = ['SFATAL', 'VFATAL', 'C28P01', 'Mrefused', ''].map((field) => `${field}\0`).join('');
  const refusal = Buffer.from(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const encrypted = new TLSSocket(socket, { isServer: true, cert, key });
      encrypted.on('error', () => undefined);
      encrypted.once('data', () => encrypted.end(refusal));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A refused user means that the certificate was accepted. */
const tlsModes: [mode: string, message: RegExp][] = [
  ['require', /does not accept user "u"/],
  ['prefer', /does not accept user "u"/],
  ['no-verify', /does not accept user "u"/],
  ['verify-full', /certificate that cannot be verified.*sslrootcert=FILE/],
];

for (const [mode, message] of tlsModes)
  test(`sslmode=${mode} verifies the certificate as libpq does`, async (t) => {
    const address = `postgres://u:p@127.0.0.1:${await startTlsServer(t)}/d?sslmode=${mode}`;
    const db = createDatabase(address, { poolSize: 1 });
    t.teardown(db.close);
    await t.throwsAsync(checkServer(db), { message });
  });
