import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import type { Connection } from '../../../src/repository/database.ts';
import { startEmbeddedPostgres } from '../../../src/repository/embedded/embedded-postgres.ts';
import { chooseAccount, findBinaries } from '../../../src/repository/embedded/programs.ts';
import { startServer } from '../../../src/repository/embedded/server.ts';
import { silentLogger } from '../../support/database.ts';
import { killFamily } from '../../support/kill-family.ts';
import { roomyFolder } from '../../support/roomy-folder.ts';

const program = resolve('test/repository/embedded/embedded-service.ts');

type Service = { child: ChildProcess; connection: Connection; firstStart: boolean; refusal?: string };

/** A data directory with a stopped database: creating one takes longer than most of these tests. */
const madeFolder = mkdtempSync(join(roomyFolder(), 'embedded-'));

test.before('a database is made', async () => {
  const { stop } = await startEmbeddedPostgres({ dataDir: madeFolder, logger: silentLogger });
  await stop();
});

test.after.always(() => rmSync(madeFolder, { recursive: true, force: true }));

/**
 * A folder that only its owner can enter, like those of `mktemp -d`; its database is stopped after the test.
 *
 * @param database `absent` before a first start.
 */
function createDataDir(t: ExecutionContext, database: 'made' | 'absent' = 'made'): string {
  const folder = mkdtempSync(join(roomyFolder(), 'embedded-'));
  chmodSync(folder, 0o700);
  const dataDir = join(folder, 'data');
  if (database === 'made') {
    mkdirSync(dataDir);
    execFileSync('cp', ['-a', join(madeFolder, 'postgres'), dataDir]);
  }
  t.teardown(() => {
    if (existsSync(pidPath(dataDir))) killPostgres(dataDir);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return dataDir;
}

async function startService(
  t: ExecutionContext,
  dataDir: string,
  environment: Record<string, string | undefined> = {},
): Promise<Service> {
  const child = spawn(process.execPath, [program, dataDir], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.teardown(() => endService(child, 'SIGKILL'));
  const [line] = await once(createInterface(child.stdout!), 'line');
  return { child, ...JSON.parse(line) };
}

async function endService(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

async function run(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const pidPath = (dataDir: string) => join(dataDir, 'postgres', 'postmaster.pid');
const readPid = (dataDir: string) => Number(readFileSync(pidPath(dataDir), 'utf8').split('\n')[0]);

/** The server and all its sessions, like a power failure. */
function killPostgres(dataDir: string): void {
  const pid = readPid(dataDir);
  if (pid !== 0 && pid !== process.pid) killFamily(pid);
}

test('the first start creates a durable database with a private socket, and the next one finds it with its data', async (t) => {
  const dataDir = createDataDir(t, 'absent');
  const first = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.true(first.firstStart);
  t.is(first.connection.host, join(dataDir, 'socket'));
  t.is(statSync(first.connection.host).mode & 0o777, 0o700);
  const [settings] = await run(
    first.connection,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('server_encoding') as encoding, current_setting('listen_addresses') as addresses`,
  );
  t.deepEqual(settings, { fsync: 'on', commit: 'on', encoding: 'UTF8', addresses: '' });
  await run(first.connection, 'create table kept as select 7 as value');
  await first.stop();
  t.false(existsSync(first.connection.host));
  const second = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.false(second.firstStart);
  t.deepEqual(await run(second.connection, 'select value from kept'), [{ value: 7 }]);
  await second.stop();
});

test('a second service on the same data directory is refused, in another process or in this one', async (t) => {
  const dataDir = createDataDir(t);
  const { stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const { refusal } = await startService(t, dataDir);
  t.regex(refusal!, /in use by another running service/);
  await t.throwsAsync(startEmbeddedPostgres({ dataDir, logger: silentLogger }), {
    message: /in use by another/,
  });
  await stop();
});

test('after a kill -9 of the service the next start adopts the running server with its log, and its stop ends it', async (t) => {
  const dataDir = createDataDir(t);
  const killed = await startService(t, dataDir);
  await run(killed.connection, 'create table kept as select 7 as value');
  const pid = readPid(dataDir);
  await endService(killed.child, 'SIGKILL');
  const logPath = join(dataDir, 'postgres.log');
  /** Longer than a log that a start renames. */
  truncateSync(logPath, 17 * 1024 * 1024);
  const next = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.false(existsSync(`${logPath}.1`));
  t.is(readPid(dataDir), pid);
  t.deepEqual(next.connection, killed.connection);
  t.deepEqual(await run(next.connection, 'select value from kept'), [{ value: 7 }]);
  await next.stop();
  await t.throwsAsync(run(next.connection, 'select 1'));
  t.false(existsSync(pidPath(dataDir)));
});

test('a Ctrl-C for the service’s whole process group leaves the server running until the service stops it', async (t) => {
  const dataDir = createDataDir(t);
  const { child, connection } = await startService(t, dataDir);
  process.kill(-child.pid!, 'SIGINT');
  await once(child, 'exit');
  t.deepEqual(await run(connection, 'select 1 as value'), [{ value: 1 }]);
});

test('after a kill -9 of service and database the next start recovers what was committed', async (t) => {
  const dataDir = createDataDir(t);
  const killed = await startService(t, dataDir);
  await run(killed.connection, 'create table kept as select generate_series(1, 1000) as value');
  await endService(killed.child, 'SIGKILL');
  killPostgres(dataDir);
  const next = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.deepEqual(await run(next.connection, 'select count(*)::int as count from kept'), [{ count: 1000 }]);
  t.is(next.connection.host, killed.connection.host);
  await next.stop();
});

test('a database that dies is restarted at the same address', async (t) => {
  const dataDir = createDataDir(t);
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  await run(connection, 'create table kept as select 7 as value');
  killPostgres(dataDir);
  const retry = (): Promise<unknown> => run(connection, 'select value from kept').catch(() => retry());
  t.deepEqual(await retry(), [{ value: 7 }]);
  await stop();
});

test('a stale pid file with the process ID of another program does not block the start', async (t) => {
  const dataDir = createDataDir(t);
  const killed = await startService(t, dataDir);
  await endService(killed.child, 'SIGKILL');
  const [pid, ...rest] = readFileSync(pidPath(dataDir), 'utf8').split('\n');
  killPostgres(dataDir);
  writeFileSync(pidPath(dataDir), [process.pid, ...rest].join('\n'));
  const next = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.not(readPid(dataDir), Number(pid));
  await next.stop();
});

test('a pid file that a loss of power left empty does not block the start', async (t) => {
  const dataDir = createDataDir(t);
  writeFileSync(pidPath(dataDir), '');
  const next = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.deepEqual(await run(next.connection, 'select 1 as value'), [{ value: 1 }]);
  await next.stop();
});

/** A temporary folder that every user may enter, as /tmp is. */
function createTemporaryFolder(t: ExecutionContext): string {
  const folder = mkdtempSync('/tmp/swept-');
  chmodSync(folder, 0o777);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const sweep = (folder: string) => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
};

test('new connections are made after the temporary folder was emptied', async (t) => {
  const temporary = createTemporaryFolder(t);
  const service = await startService(t, createDataDir(t), { TMPDIR: temporary });
  sweep(temporary);
  t.deepEqual(await run(service.connection, 'select 7 as value'), [{ value: 7 }]);
});

for (const [title, name] of [
  ['XDG_RUNTIME_DIR', 'XDG_RUNTIME_DIR'],
  ['the temporary folder where there is none', 'TMPDIR'],
] as const) {
  test(`a path that is too long for a socket has it in ${title}, and the socket is restored when it is deleted`, async (t) => {
    const folder = createTemporaryFolder(t);
    const dataDir = join(createDataDir(t), 'x'.repeat(100));
    mkdirSync(dataDir);
    execFileSync('cp', ['-a', join(madeFolder, 'postgres'), dataDir]);
    t.teardown(() => void (existsSync(pidPath(dataDir)) && killPostgres(dataDir)));
    const environment = { XDG_RUNTIME_DIR: undefined, [name]: folder };
    const { child, connection } = await startService(t, dataDir, environment);
    t.is(dirname(connection.host), folder);
    t.is(statSync(connection.host).mode & 0o777, 0o700);
    sweep(folder);
    const retry = (): Promise<unknown> => run(connection, 'select 7 as value').catch(() => retry());
    t.deepEqual(await retry(), [{ value: 7 }]);
    await endService(child, 'SIGTERM');
    t.deepEqual(readdirSync(folder), []);
  });
}

test('a server of an earlier version, with its socket in the temporary folder, is adopted and stopped', async (t) => {
  const dataDir = createDataDir(t);
  const { postgres } = await findBinaries();
  const [clusterDir, logPath] = [join(dataDir, 'postgres'), join(dataDir, 'postgres.log')];
  const account = chooseAccount({ clusterDir, folders: [dataDir], postgres });
  const socketDir = mkdtempSync('/tmp/personalisation-');
  await startServer({ clusterDir, logPath, postgres, account, socketDir });
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.is(connection.host, socketDir);
  await stop();
  t.false(existsSync(socketDir));
  const next = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.is(next.connection.host, join(dataDir, 'socket'));
  await next.stop();
});

test('a server without its socket is replaced', async (t) => {
  const dataDir = createDataDir(t);
  const killed = await startService(t, dataDir);
  await endService(killed.child, 'SIGKILL');
  rmSync(killed.connection.host, { recursive: true });
  const next = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.deepEqual(await run(next.connection, 'select 1 as value'), [{ value: 1 }]);
  await next.stop();
});

test('an interrupted first start does not block the next', async (t) => {
  const dataDir = createDataDir(t, 'absent');
  const halfMade = join(dataDir, 'postgres.unfinished-abc');
  mkdirSync(join(halfMade, 'base'), { recursive: true });
  writeFileSync(join(halfMade, 'PG_VERSION'), '18\n');
  const { firstStart, stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  t.true(firstStart);
  t.deepEqual(readdirSync(dataDir).sort(), ['postgres', 'postgres.log', 'service.lock', 'socket']);
  await stop();
});

test('a server that cannot start says why in one sentence and frees the data directory', async (t) => {
  const dataDir = createDataDir(t);
  const configuration = join(dataDir, 'postgres', 'postgresql.conf');
  const sound = readFileSync(configuration);
  writeFileSync(configuration, 'nonsense_setting = 1\n');
  const refusal = await t.throwsAsync(startEmbeddedPostgres({ dataDir, logger: silentLogger }));
  t.regex(refusal.message, /did not start: .*nonsense_setting/);
  writeFileSync(configuration, sound);
  await t.notThrowsAsync(
    startEmbeddedPostgres({ dataDir, logger: silentLogger }).then((server) => server.stop()),
  );
});
