/** A service that cannot start prints one line, ends with 1, and leaves no files. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeCertificate } from '../support/certificate.ts';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { runCommand } from './support/command.ts';

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'serve-faults-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const serve = (folder: string, ...words: string[]) =>
  runCommand([
    ...['serve', '--port', '0', '--grpc-port', '0', '--log-level', 'silent', '--data-dir', folder],
    ...words,
  ]);

async function listen(t: ExecutionContext, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, () => done()));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

test.serial('a database server that is not there is reported without its password', async (t) => {
  const { exitCode, stderr } = await serve(
    await folderOf(t),
    '--database-url',
    'postgres://u:secret@127.0.0.1:1/shop',
  );
  t.is(exitCode, 1);
  t.regex(stderr, /^The database server at 127\.0\.0\.1:1 cannot be reached: .*DATABASE_URL\)\.\n$/);
  t.false(stderr.includes('secret'));
});

test.serial('a refused connection is reported with its SQLSTATE', async (t) => {
  const db = await createTestDatabase(t);
  const url = addressOf({ ...db.connection, database: 'none' });
  const { exitCode, stderr } = await serve(await folderOf(t), '--database-url', url);
  t.is(exitCode, 1);
  t.regex(stderr, /^[^\n]* has no database "none"; [^\n]*DATABASE_URL\)\. \(SQLSTATE 3D000: .*\)\n$/);
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
        : runCommand([command, '--database-url', url]);
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
  const { exitCode, stderr } = await runCommand(['migrate', '--database-url', addressOf(db.connection)]);
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
