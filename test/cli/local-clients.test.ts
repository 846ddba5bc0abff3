/** An operator creates an administrator's client on the service's machine, without credentials. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { program } from '../support/program.ts';
import { roomyFolder } from '../support/roomy-folder.ts';
import { requestToken } from '../support/service.ts';
import { type Finished, runCommand } from './support/command.ts';

const environment = { ...process.env, LIST_THREADS: '0', PERSONALISATION_CLIENT_ID: undefined };

const run = (...words: string[]) => runCommand(words, environment);

async function createFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(roomyFolder(), 'local-clients-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Service = { baseUrl: string; welcome: string; stop(): Promise<void> };

/** Waits for the end of the welcome text. */
async function serve(t: ExecutionContext, dataDir: string): Promise<Service> {
  const ports = ['--port', '0', '--grpc-port', '0', '--workers', '0', '--log-level', 'silent'];
  const child: ChildProcess = spawn(
    process.execPath,
    [program, 'serve', ...ports, '--data-dir', dataDir, '--deployment', 'test/cli/support/small.yaml'],
    { env: environment, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const stop = async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  t.teardown(stop);
  let welcome = '';
  for await (const chunk of child.stdout!.setEncoding('utf8')) {
    welcome += chunk;
    if (/Try it:\n\n.*\n/.test(welcome)) break;
  }
  const [baseUrl] = /http:\S+/.exec(welcome)!;
  return { baseUrl, welcome, stop };
}

/** Checks that a printed client has an administrator's permissions. */
async function isAdmin(t: ExecutionContext, { baseUrl }: Service, { exitCode, stdout, stderr }: Finished) {
  t.is(exitCode, 0, stderr);
  t.is(stderr, '');
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(stdout);
  const authorization = `Bearer ${await requestToken(baseUrl, { clientId, clientSecret })}`;
  const { status, body } = await createJsonClient({ baseUrl, authorization }).get<{
    entries: { action: string; resource: string; request_id: string }[];
  }>('/audit');
  t.is(status, 200);
  t.like(body.entries.find(({ resource }) => resource === `clients/${clientId}`)!, {
    action: 'clients.create',
    request_id: 'command line',
  });
}

/** The words of the command that the service names. */
function commandIn(welcome: string): string[] {
  const [, command] = /`personalisation ([^`]+)`/.exec(welcome)!;
  return command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
}

test('a lost file is replaced by the command that the next start names, while the service runs and while it is stopped', async (t) => {
  const dataDir = join(await createFolder(t), 'data');
  await (await serve(t, dataDir)).stop();
  await rm(join(dataDir, 'admin-credentials.json'));
  const service = await serve(t, dataDir);
  const words = commandIn(service.welcome);
  t.deepEqual(words, ['clients', 'create', '--scope', 'admin:*', '--data-dir', dataDir]);
  await isAdmin(t, service, await run(...words));
  await service.stop();
  const made = await run(...words);
  t.false(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), 'its database is stopped again');
  const again = await serve(t, dataDir);
  await isAdmin(t, again, made);
});

test('a backup that is restored into a new folder has its administrator by the same command', async (t) => {
  const folder = await createFolder(t);
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  await (await serve(t, before)).stop();
  const file = join(folder, 'shop.backup');
  t.is((await run('backup', file, '--data-dir', before)).exitCode, 0);
  t.is((await run('restore', file, '--data-dir', after)).exitCode, 0);
  const service = await serve(t, after);
  await isAdmin(t, service, await run(...commandIn(service.welcome)));
});

test('with --database-url the client is made there, a write key too', async (t) => {
  const { connection, pool } = await createTestDatabase(t);
  const url = addressOf(connection);
  const create = (...words: string[]) => run('clients', 'create', '--database-url', url, ...words);
  t.is((await create('--scope', 'admin:*')).exitCode, 0);
  const key = await create('--write-key', '--scope', 'events:shop', '--origin', 'https://shop.example');
  t.deepEqual(Object.keys(JSON.parse(key.stdout)), ['client_id']);
  const { rows } = await pool.query('select kind, name, scopes from clients order by kind');
  t.deepEqual(rows, [
    { kind: 'confidential', name: 'admin', scopes: ['admin:*'] },
    { kind: 'write_key', name: 'admin', scopes: ['events:shop'] },
  ]);
});

test('a client that cannot be created is explained in one line', async (t) => {
  const folder = await createFolder(t);
  const { connection, pool } = await createTestDatabase(t);
  const create = (...words: string[]) => run('clients', 'create', '--scope', 'admin:*', ...words);
  t.like(await create('--data-dir', folder), {
    exitCode: 1,
    stderr: `There is no database in ${folder}; name its folder with --data-dir, or --database-url.\n`,
  });
  t.like(await create(), { exitCode: 1, stderr: 'Name the client with --name.\n' });
  const unknownScope = await run(
    'clients',
    'create',
    '--scope',
    'all',
    '--database-url',
    addressOf(connection),
  );
  t.is(unknownScope.exitCode, 1);
  t.regex(unknownScope.stderr, /^[^\n]*all[^\n]*\n/);
  await pool.query('drop schema public cascade; create schema public');
  const empty = await create('--database-url', addressOf(connection));
  t.is(empty.exitCode, 1);
  t.regex(empty.stderr, /^The database has no tables yet: [^\n]*\n$/);
});
