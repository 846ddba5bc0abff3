/**
 * Makes the database's files on the first start.
 *
 * They are made in a sibling folder that takes its final name when it is complete, so an interrupted start leaves nothing
 * that a later one could mistake for a database. The caller holds the service lock.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DomainError } from '../../errors.ts';
import type { Account } from './account.ts';

const initialisationTimeoutMs = 60_000;

/** The environment of every database program: English messages whatever the caller's locale, and UTC. */
export const programEnvironment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

export type ClusterOptions = { clusterDir: string; initdb: string; account: Account };

/** A folder of the final name is complete: it got the name last. */
export function hasCluster(clusterDir: string): boolean {
  return existsSync(join(clusterDir, 'PG_VERSION'));
}

export async function createCluster({ clusterDir, initdb, account }: ClusterOptions): Promise<void> {
  await removeUnfinished(clusterDir);
  const unfinished = await mkdtemp(`${clusterDir}.unfinished-`);
  if (account.owner !== undefined) await chown(unfinished, account.owner.uid, account.owner.gid);
  await runInitdb(initdb, unfinished, account);
  await rename(unfinished, clusterDir);
  await flushFolder(dirname(clusterDir));
}

async function removeUnfinished(clusterDir: string): Promise<void> {
  const folder = dirname(clusterDir);
  await mkdir(folder, { recursive: true });
  const prefix = `${basename(clusterDir)}.unfinished-`;
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix))
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The built-in C.UTF-8 locale depends on no library of the system, so an upgraded system cannot break an index. */
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
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [complaint, code] = await Promise.all([text(child.stderr), exited]);
  if (code === 0) return;
  await rm(target, { recursive: true, force: true });
  const reason = complaint.trim().split('\n').slice(-3).join(' ');
  throw new DomainError(
    'UNAVAILABLE',
    `The embedded database could not be created: ${reason || `code ${code}`}`,
  );
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}
