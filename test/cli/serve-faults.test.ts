/** A service that cannot start prints one line, ends with 1, and leaves no files. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { makeCertificate } from '../support/certificate.ts';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { program } from '../support/program.ts';

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'serve-faults-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function run(words: string[]): Promise<{ exitCode: number | null; stderr: string }> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = new Promise<number | null>((done) => child.once('close', done));
  const stderr = await text(child.stderr);
  return { exitCode: await exit, stderr };
}

const serve = (folder: string, ...words: string[]) =>
  run([
    ...['serve', '--port', '0', '--grpc-port', '0', '--log-level', 'silent', '--data-dir', folder],
    ...words,
  ]);

async function listen(t: ExecutionContext, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, () => done()));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A database server that refuses every connection. https://www.postgresql.org/docs/current/protocol-message-formats.html */
function refusingServer(code: string, message: string): Server {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
}

const addresses: [title: string, url: string, sentence: RegExp][] = [
  [
    'the host is unknown',
    'postgres://u:secret@nowhere.invalid:5432/shop',
    /^The database server at nowhere\.invalid:5432 cannot be reached: .*DATABASE_URL\)\.\n$/,
  ],
  [
    'no server',
    'postgres://u:secret@127.0.0.1:1/shop',
    /^The database server at 127\.0\.0\.1:1 cannot be reached: no server listens there\. .*DATABASE_URL\)\.\n$/,
  ],
  ['no address', 'shop', /^The database address cannot be read; .*DATABASE_URL\)\.\n$/],
  [
    'a missing certificate',
    'postgres://u:secret@127.0.0.1:1/shop?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
    /^The database address names the file \/nowhere\/ca\.pem, which cannot be opened\. .*DATABASE_URL\)\.\n$/,
  ],
];

for (const [title, url, sentence] of addresses) {
  test.serial(`a database address with ${title} is reported without its password`, async (t) => {
    const { exitCode, stderr } = await serve(await folderOf(t), '--database-url', url);
    t.is(exitCode, 1);
    t.regex(stderr, sentence);
    t.false(stderr.includes('secret'));
  });
}

const refusals: [title: string, code: string, message: string, sentence: RegExp][] = [
  [
    'a wrong password',
    '28P01',
    'password authentication failed for user "u"',
    /does not accept user "u"; .*DATABASE_URL\)\. \(SQLSTATE 28P01: .*\)\n$/,
  ],
  [
    'a wrong database',
    '3D000',
    'database "shop" does not exist',
    /has no database "shop"; .*DATABASE_URL\)\. \(SQLSTATE 3D000: .*\)\n$/,
  ],
  [
    'a full server',
    '53300',
    'sorry, too many clients already',
    /has no free connection; .*DATABASE_URL\)\. \(SQLSTATE 53300: .*\)\n$/,
  ],
];

for (const [title, code, message, sentence] of refusals) {
  test.serial(`${title} is reported with its cause`, async (t) => {
    const port = await listen(t, refusingServer(code, message));
    const url = `postgres://u:p@127.0.0.1:${port}/shop`;
    const { exitCode, stderr } = await serve(await folderOf(t), '--database-url', url);
    t.is(exitCode, 1);
    t.regex(stderr, sentence);
    t.is(stderr.trim().split('\n').length, 1);
  });
}

/** A database server that requires a password. */
function askingServer(): Server {
  const ask = (kind: number, words: string) => {
    const head = Buffer.alloc(9);
    head.write('R');
    head.writeInt32BE(8 + words.length, 1);
    head.writeInt32BE(kind, 5);
    return Buffer.concat([head, Buffer.from(words)]);
  };
  const [sasl, goOn] = [10, 11];
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(ask(sasl, 'SCRAM-SHA-256\0\0'));
      socket.once('data', () => socket.write(ask(goOn, 'r=nonce,s=c2FsdA==,i=4096')));
    });
  });
}

test.serial('a missing password is reported', async (t) => {
  const port = await listen(t, askingServer());
  const { exitCode, stderr } = await serve(
    await folderOf(t),
    '--database-url',
    `postgres://u@127.0.0.1:${port}/shop`,
  );
  t.is(exitCode, 1);
  t.regex(stderr, /asks user "u" for a password, and none is given\. .*DATABASE_URL\)\.\n$/);
});

for (const command of ['serve', 'work', 'migrate']) {
  test.serial(`${command} refuses a database of a newer version without changes`, async (t) => {
    const db = await createTestDatabase(t);
    await db.pool.query(`insert into kysely_migration values ('999-of-tomorrow', '2099-01-01')`);
    await db.pool.query(`update settings set value = '"of tomorrow"' where key = 'functions'`);
    await db.pool.query(`update settings set value = '"0.9.0"' where key = 'release'`);
    const url = addressOf(db.connection);
    const started =
      command === 'serve'
        ? serve(await folderOf(t), '--database-url', url)
        : run([command, '--database-url', url]);
    const { exitCode, stderr } = await started;
    t.is(exitCode, 1);
    t.regex(stderr, /^The database needs 0\.9\.0 or newer; this is \S+\. Use that version\.\n$/);
    const { rows } = await db.pool.query(`select value from settings where key = 'functions'`);
    t.is(rows[0].value, 'of tomorrow');
  });
}

test.serial('serve refuses a database of a development version in one line', async (t) => {
  const db = await createTestDatabase(t);
  await db.pool.query(`insert into kysely_migration values ('003-events', '2026-11-20')`);
  const { exitCode, stderr } = await serve(await folderOf(t), '--database-url', addressOf(db.connection));
  t.is(exitCode, 1);
  t.regex(stderr, /^The tables of the database are of an older development version, .*003-events.*\n$/);
});

test.serial('a refused statement is reported with its SQLSTATE and message', async (t) => {
  const db = await createTestDatabase(t);
  await db.pool.query(`drop table settings cascade`);
  const { exitCode, stderr } = await run(['migrate', '--database-url', addressOf(db.connection)]);
  t.is(exitCode, 1);
  t.is(stderr, 'The database refused a statement. (SQLSTATE 42P01: relation "settings" does not exist)\n');
});

for (const flag of ['--port', '--grpc-port', '--admin-port']) {
  test.serial(`a used port is reported with ${flag} before a database is created`, async (t) => {
    const port = await listen(t, createServer());
    const folder = await folderOf(t);
    const { exitCode, stderr } = await serve(folder, flag, String(port));
    t.is(exitCode, 1);
    t.regex(stderr, new RegExp(`^Port ${port} cannot be opened: .* ${flag} .*\\n$`));
    t.false(existsSync(join(folder, 'postgres')));
  });
}

test.serial('two equal ports are named with their options, before a database is created', async (t) => {
  const folder = await folderOf(t);
  const server = createServer();
  const port = await listen(t, server);
  await new Promise((done) => server.close(done));
  const { exitCode, stderr } = await serve(folder, '--port', String(port), '--admin-port', String(port));
  t.is(exitCode, 1);
  t.is(
    stderr,
    `Port ${port} is already that of --port (PORT). Choose another one with --admin-port (ADMIN_PORT).\n`,
  );
  t.false(existsSync(join(folder, 'postgres')));
});

test.serial('an unusable certificate is reported before a database is created', async (t) => {
  const folder = await folderOf(t);
  await writeFile(join(folder, 'certificate.pem'), 'rubbish');
  await writeFile(join(folder, 'key.pem'), makeCertificate().key);
  const deployment = join(folder, 'deployment.yaml');
  const tls = '{ certificate: certificate.pem, key: key.pem }';
  const environments = '[{ name: e, item_types: [{ name: i }] }]';
  await writeFile(deployment, `server: { tls: ${tls} }\nenvironments: ${environments}`);
  const { exitCode, stderr } = await serve(folder, '--deployment', deployment);
  t.is(exitCode, 1);
  t.regex(stderr, /^server\.tls\.certificate: \S+certificate\.pem cannot be used .*\n$/);
  t.false(existsSync(join(folder, 'postgres')));
});

test.serial('an invalid port or number of threads is refused', async (t) => {
  for (const flag of ['--port', '--threads', '--workers']) {
    const { exitCode, stderr } = await serve(await folderOf(t), flag, '');
    t.is(exitCode, 1);
    t.regex(stderr, /argument '' is invalid\. It must be 0 to /);
  }
});

test.serial('an impossible data directory is reported', async (t) => {
  const path = join(await folderOf(t), 'file');
  await writeFile(path, '');
  const { exitCode, stderr } = await serve(join(path, 'data'));
  t.is(exitCode, 1);
  t.is(stderr, `${join(path, 'data')}: a part of the path is a file, not a folder.\n`);
});

/** Like a folder of another user; permissions would not stop the superuser. */
test.serial('a data directory with an unreadable lock is reported', async (t) => {
  const folder = await folderOf(t);
  await mkdir(join(folder, 'service.lock'));
  const { exitCode, stderr } = await serve(folder);
  t.is(exitCode, 1);
  t.is(
    stderr,
    `The data directory ${folder} cannot be locked: service.lock cannot be opened by this user.\n`,
  );
});

test('an address of another machine is reported', async (t) => {
  const folder = await folderOf(t);
  const { exitCode, stderr } = await serve(folder, '--host', '192.0.2.1');
  t.is(exitCode, 1);
  t.regex(stderr, /^No interface of this machine has the address 192\.0\.2\.1\. .*--host \(HOST\)\.\n$/);
});

test.serial('a port that Kubernetes has set for a Service is refused with the remedy', async (t) => {
  const folder = await folderOf(t);
  for (const option of ['--admin-port', '--port', '--grpc-port']) {
    const { exitCode, stderr } = await serve(folder, option, 'tcp://10.0.0.1:9464');
    t.is(exitCode, 1);
    t.regex(stderr, /enableServiceLinks: false/);
  }
});
