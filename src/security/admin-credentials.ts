/**
 * The first client of an embedded database, so that whoever started the service can do everything without a further step.
 *
 * The file is written before the client is stored. A start that is interrupted in between leaves a file without a client, and
 * the next start stores the client of the file; so whoever has the file has working credentials. The file is never
 * overwritten, and never written when there are clients already: a lost file stays lost, and an administrator of the machine
 * makes another client (`personalisation clients create`) in the database itself.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clients } from './clients.ts';
import { type ClientCredentials, createCredentials, isClientId } from './secrets/identifiers.ts';

export type AdminCredentials =
  /** `created`: the client of the file is new; `present`: it was there before. */
  | { outcome: 'created' | 'present'; path: string }
  /** There are clients but no file; `advice` is for the log. */
  | { outcome: 'missing'; path: string; advice: string };

export type AdminCredentialsOptions = {
  /** The embedded database's directory; one process at a time works in it. */
  dataDir: string;
  /** The options by which a command finds the database [`--data-dir` and the directory]. */
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
  /** Of a file that was there before nobody knows who wrote it. */
  await clients.addClient({ ...credentials, origin: found ? 'chosen' : 'random' }, admin);
  return { outcome: 'created', path };
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command needs no credentials, unlike one that calls the service. */
function adviceFor(path: string, databaseOptions: string): string {
  const command = `personalisation clients create --scope 'admin:*' ${databaseOptions}`;
  return `There is no ${path}, and the database has clients already; make an admin client on this machine with \`${command}\`.`;
}

/** In place as a whole or not at all, also when the machine stops. */
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

/** Undefined when there is no file. */
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
