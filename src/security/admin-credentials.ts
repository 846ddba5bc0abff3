/**
 * Creates the first client of an embedded database, so that a new service can be used at once.
 *
 * The file is written before the client is stored. If a start is interrupted in between, the next
 * start stores the client of the file, so the file always holds working credentials. An existing
 * file is never overwritten, and none is written if there are clients: after a loss, an
 * administrator creates another client with `personalisation clients create`.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clients } from './clients.ts';
import { type ClientCredentials, createCredentials, isClientId } from './secrets/identifiers.ts';

export type AdminCredentials =
  /** `created`: the client is new; `present`: it existed. */
  | { outcome: 'created' | 'present'; path: string }
  /** There are clients but no file; `advice` is for the log. */
  | { outcome: 'missing'; path: string; advice: string };

export type AdminCredentialsOptions = {
  /** Directory of the embedded database; one process uses it at a time. */
  dataDir: string;
  /** Command-line options that locate the database [`--data-dir` with the directory]. */
  databaseOptions?: string;
  clients: Pick<Clients, 'find' | 'list' | 'addClient'>;
};

const fileName = 'admin-credentials.json';
const admin = { name: 'admin', scopes: ['admin:*'] };

export async function ensureAdminCredentials(options: AdminCredentialsOptions): Promise<AdminCredentials> {
  const { dataDir, clients, databaseOptions = `--data-dir ${quoted(dataDir)}` } = options;
  const path = join(dataDir, fileName);
  const found = await readCredentials(path);
  if (found === undefined && (await clients.list(1)).length > 0)
    return { outcome: 'missing', path, advice: adviceFor(path, databaseOptions) };
  const credentials = found ?? createCredentials();
  if (found === undefined) await writeCredentials(path, dataDir, credentials);
  if (await clients.find(credentials.clientId)) return { outcome: 'present', path };
  /** The origin of an existing file is unknown. */
  await clients.addClient({ ...credentials, origin: found ? 'chosen' : 'random' }, admin);
  return { outcome: 'created', path };
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Suggests a command that needs no credentials. */
function adviceFor(path: string, databaseOptions: string): string {
  const command = `personalisation clients create --scope 'admin:*' ${databaseOptions}`;
  return `There is no ${path}, and the database has clients already; make an admin client on this machine with \`${command}\`.`;
}

/** Writes the file atomically, also if the machine stops. */
async function writeCredentials(
  path: string,
  directory: string,
  credentials: ClientCredentials,
): Promise<void> {
  const { clientId, clientSecret } = credentials;
  const temporary = `${path}.new`;
  await mkdir(directory, { recursive: true });
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(
      `${JSON.stringify({ client_id: clientId, client_secret: clientSecret }, null, 2)}\n`,
    );
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(directory);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}

async function readCredentials(path: string): Promise<ClientCredentials | undefined> {
  const text = await readFile(path, 'utf8').catch(undefinedIfAbsent);
  if (text === undefined) return undefined;
  const { client_id: clientId, client_secret: clientSecret } = parseFile(text);
  if (
    typeof clientId === 'string' &&
    isClientId(clientId) &&
    typeof clientSecret === 'string' &&
    clientSecret
  )
    return { clientId, clientSecret };
  throw new Error(`${path} does not hold a client_id and a client_secret; restore it, or move it away.`);
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function parseFile(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
