/**
 * Creates the files of the database on the first start, in a sibling folder that gets its final
 * name when it is complete: an interrupted start leaves nothing that looks like a database. The
 * caller has claimed the data directory.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DomainError } from '../../errors.ts';
import { type Account, programEnvironment } from './programs.ts';

const initialisationTimeoutMs = 60_000;

type ClusterOptions = { clusterDir: string; initdb: string; account: Account };

export function hasCluster(clusterDir: string): boolean {
  return existsSync(join(clusterDir, 'PG_VERSION'));
}

export async function createCluster({ clusterDir, initdb, account }: ClusterOptions): Promise<void> {
  const folder = dirname(clusterDir);
  const prefix = `${basename(clusterDir)}.unfinished-`;
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder))
    if (name.startsWith(prefix))
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  const unfinished = await mkdtemp(join(folder, prefix));
  if (account.owner !== undefined) await chown(unfinished, account.owner.uid, account.owner.gid);
  await runInitdb(initdb, unfinished, account);
  await rename(unfinished, clusterDir);
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}

/** The built-in C.UTF-8 locale depends on no library of the system, so a system upgrade cannot break an index. */
async function runInitdb(initdb: string, target: string, account: Account): Promise<void> {
  const { file, args, identity } = account.command(initdb, [
    ...[`--pgdata=${target}`, '--username=postgres', '--encoding=UTF8', '--locale=C'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--auth-local=trust', '--auth-host=reject'],
  ]);
  const child = spawn(file, args, {
    ...identity,
    cwd: '/',
    env: programEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: initialisationTimeoutMs,
  });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code === 0) return;
  await rm(target, { recursive: true, force: true });
  const reason = complaint.trim().split('\n').slice(-3).join(' ') || `code ${code}`;
  throw new DomainError('UNAVAILABLE', `The embedded database could not be created: ${reason}`);
}
