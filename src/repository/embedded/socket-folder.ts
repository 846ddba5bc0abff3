/**
 * The private folder of the server's socket, in the data directory.
 *
 * Temporary folders are emptied after some days, and the socket with them. Only where the data
 * directory cannot hold a socket (its path is too long, or its file system has none) the folder is
 * in XDG_RUNTIME_DIR, else in the temporary folder; embedded-postgres.ts restarts a server that has
 * lost its socket.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The port only names the socket file. */
export const socketPort = 5432;

/** `sockaddr_un` holds 108 bytes on Linux and 104 on macOS, one of them for the end. */
const mostPathBytes = 103;

const ownName = 'socket';
const elsewherePrefix = 'personalisation-';

const socketFile = (folder: string): string => join(folder, `.s.PGSQL.${socketPort}`);

export const hasSocket = (folder: string): boolean => existsSync(socketFile(folder));

export async function makeSocketFolder(dataDir: string): Promise<string> {
  const own = join(dataDir, ownName);
  if (isShort(own)) {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    if (await supportsSockets(own)) return own;
    rmSync(own, { recursive: true, force: true });
  }
  const parent = [process.env.XDG_RUNTIME_DIR, tmpdir()].find(isParent) ?? '/tmp';
  return mkdtempSync(join(parent, elsewherePrefix));
}

/** Removes only a folder that this program made: the path may come from a file. */
export function removeSocketFolder(dataDir: string, folder: string | undefined): void {
  if (!folder) return;
  const isElsewhere = basename(folder).startsWith(elsewherePrefix) && dirname(folder) !== '/';
  if (isElsewhere || folder === join(dataDir, ownName)) rmSync(folder, { recursive: true, force: true });
}

const isShort = (folder: string): boolean => Buffer.byteLength(socketFile(folder)) <= mostPathBytes;

/** `mkdtemp` appends six characters. */
const isParent = (folder: string | undefined): folder is string =>
  !!folder && existsSync(folder) && isShort(join(folder, `${elsewherePrefix}${'-'.repeat(6)}`));

/** Shared folders of virtual machines and some network file systems support no sockets. */
function supportsSockets(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(join(folder, '.probe'), () => server.close(() => resolve(true)));
  });
}
