/**
 * The private folder of the server's socket: in the data directory, where nobody tidies up.
 *
 * Temporary folders are swept after some days, and with the socket goes the way to the server. Only where the data directory
 * cannot hold a socket, for its path is too long or its file system has none, the folder lies in XDG_RUNTIME_DIR, else in the
 * temporary folder; the watch of embedded-postgres.ts starts a server anew whose socket has vanished.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The port only names the socket file. */
export const socketPort = 5432;

/** Within `sockaddr_un`: 108 bytes on Linux and 104 on macOS, one of them for the end. */
const mostPathBytes = 103;

const ownName = 'socket';
const elsewherePrefix = 'personalisation-';

export function socketFile(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`);
}

/** Whether the way to a server is still there. */
export function hasSocket(folder: string): boolean {
  return existsSync(socketFile(folder));
}

/** Makes the folder and returns its path. */
export async function makeSocketFolder(dataDir: string): Promise<string> {
  const own = join(dataDir, ownName);
  if (isShort(own)) {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    if (await takesSockets(own)) return own;
    rmSync(own, { recursive: true, force: true });
  }
  const parent = [process.env.XDG_RUNTIME_DIR, tmpdir()].find(isParent) ?? '/tmp';
  return mkdtempSync(join(parent, elsewherePrefix));
}

/** Removes a folder of our own making only: the path may come from a file. */
export function removeSocketFolder(dataDir: string, folder: string | undefined): void {
  if (!folder) return;
  const isElsewhere = basename(folder).startsWith(elsewherePrefix) && dirname(folder) !== '/';
  if (isElsewhere || folder === join(dataDir, ownName)) rmSync(folder, { recursive: true, force: true });
}

function isShort(folder: string): boolean {
  return Buffer.byteLength(socketFile(folder)) <= mostPathBytes;
}

/** `mkdtemp` appends six characters. */
function isParent(folder: string | undefined): folder is string {
  return !!folder && existsSync(folder) && isShort(join(folder, `${elsewherePrefix}XXXXXX`));
}

/** Shared folders of virtual machines, and some network file systems, hold no sockets. */
function takesSockets(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(join(folder, '.probe'), () => server.close(() => resolve(true)));
  });
}
