import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
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

async function portOf(t: ExecutionContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
function refusalOf(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mrefused\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Asks for a password by SASL. */
function askingFor(kind: number, words: string): Buffer {
  const head = Buffer.alloc(9, 'R');
  head.writeInt32BE(8 + words.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(words)]);
}

/** A server that sends an answer after each message, and closes the connection after the last. */
function answeringServer(...answers: Buffer[]): Server {
  return createServer((socket) => {
    let count = 0;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      socket.write(answers[count++]);
      if (count === answers.length) socket.end();
    });
  });
}

const refusals: [title: string, server: () => Server, message: RegExp][] = [
  ['a wrong password', () => answeringServer(refusalOf('28P01')), /does not accept user "u"; /],
  ['a wrong database', () => answeringServer(refusalOf('3D000')), /has no database "shop"; /],
  ['a full server', () => answeringServer(refusalOf('53300')), /has no free connection; /],
  [
    'a missing password',
    () => answeringServer(askingFor(10, 'SCRAM-SHA-256\0\0'), askingFor(11, 'r=nonce,s=c2FsdA==,i=4096')),
    /asks user "u" for a password, and none is given\. /,
  ],
];

for (const [title, server, message] of refusals)
  test(`${title} is refused with a reason`, async (t) => {
    const password = title === 'a missing password' ? '' : ':p';
    const db = createDatabase(`postgres://u${password}@127.0.0.1:${await portOf(t, server())}/shop`, {
      poolSize: 1,
    });
    t.teardown(db.close);
    const refusal = await t.throwsAsync(checkServer(db), { message });
    t.regex(refusal.message, /The address is --database-url \(DATABASE_URL\)\.$/);
  });

const addresses: [title: string, url: string, sentence: RegExp][] = [
  [
    'an unknown host',
    'postgres://u:secret@nowhere.invalid:5432/shop',
    /^The database server at nowhere\.invalid:5432 cannot be reached: the (host|name of the host) /,
  ],
  [
    'no server',
    'postgres://u:secret@127.0.0.1:1/shop',
    /^The database server at 127\.0\.0\.1:1 cannot be reached: no server listens there\. /,
  ],
  ['no address', 'shop', /^The database address cannot be read; /],
  [
    'a missing certificate',
    'postgres://u:secret@127.0.0.1:1/shop?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
    /^The database address names the file \/nowhere\/ca\.pem, which cannot be opened\. /,
  ],
];

for (const [title, url, sentence] of addresses)
  test(`a database address with ${title} is refused without its password`, async (t) => {
    const db = createDatabase(url, { poolSize: 1 });
    t.teardown(db.close);
    const { message } = await t.throwsAsync(checkServer(db));
    t.regex(message, sentence);
    t.regex(message, /DATABASE_URL\)\.$/);
    t.false(message.includes('secret'));
  });

/** A server with a self-signed certificate that refuses every user. */
function startTlsServer(t: ExecutionContext): Promise<number> {
  const { certificate: cert, key } = makeCertificate();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const encrypted = new TLSSocket(socket, { isServer: true, cert, key });
      encrypted.on('error', () => undefined);
      encrypted.once('data', () => encrypted.end(refusalOf('28P01')));
    });
  });
  return portOf(t, server);
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

const refusedAddresses: [address: string, message: RegExp | undefined][] = [
  ['postgres://u:p@one,two/d', /names several hosts; name one that leads to/],
  ['postgres://u:p@one:5432,two:5433/d?target_session_attrs=read-write', /names several hosts/],
  ['postgres://u:p@/d?host=one,two', /names several hosts/],
  ['postgres://u:p@127.0.0.1:1/d?target_session_attrs=standby', /asks for a server without writes/],
  ['postgres://u:p@127.0.0.1:1/d?sslmode=allow', /unknown sslmode; use disable, require/],
  ['postgres://u:p,q@127.0.0.1:1/d?target_session_attrs=read-write', /no server listens there/],
];

for (const [address, message] of refusedAddresses)
  test(`${address} is refused with a reason`, async (t) => {
    const db = createDatabase(address, { poolSize: 1 });
    t.teardown(db.close);
    await t.throwsAsync(checkServer(db), { message });
  });
