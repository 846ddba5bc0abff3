/**
 * Which account the database's programs run as, and how they get there.
 *
 * Postgres refuses to run as root. As root it therefore runs as the owner of an existing cluster, else `postgres`, else
 * `nobody`. That account often cannot enter the folders above the data (a `mktemp -d` folder is root's alone); then the
 * programs keep one capability, `dac_override`, which lets them pass. `no_setuid_fixup` goes with it: without that bit
 * access(2), by which Postgres checks its own binary, ignores the capability.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DomainError } from '../../errors.ts';

export type Owner = { uid: number; gid: number };

/** How to run a program of the database: the command line and the identity for `spawn`. */
export type Account = {
  /** Whom the data belongs to; absent when the service is not root and keeps its own identity. */
  owner?: Owner;
  command(
    program: string,
    programArguments: string[],
  ): { file: string; args: string[]; identity: Partial<Owner> };
};

export type AccountOptions = {
  clusterDir: string;
  /** Folders that the account must be able to enter. */
  folders: string[];
  /** The server's binary, used to try the account out. */
  postgres: string;
};

export function chooseAccount({ clusterDir, folders, postgres }: AccountOptions): Account {
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
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`));
  if (entry === undefined) return undefined;
  const [, , uid, gid] = entry.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Every folder from the root down to `folder` must grant search; access lists are not read, the capability covers them. */
function canEnter(folder: string, owner: Owner): boolean {
  const path = resolve(folder);
  const parent = dirname(path);
  return maySearch(statSync(path), owner) && (parent === path || canEnter(parent, owner));
}

function maySearch(folder: Stats, owner: Owner): boolean {
  if (folder.uid === owner.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === owner.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}
