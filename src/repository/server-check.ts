/**
 * Checks a database server before it is used: reachable, accepts the credentials, new enough,
 * encoding UTF-8, accepts writes, sessions of our own. Each failure is one sentence for the
 * operator.
 */

import pg from 'pg';
import { DomainError } from '../errors.ts';
import { connect, type Database, databaseFaults, queryOn, translateError } from './database.ts';

const oldestServerMajor = 15;

type ServerRow = { number: number; version: string; encoding: string };

/** @throws UNAVAILABLE with the reason. */
export async function checkServer(db: Database): Promise<void> {
  const text =
    'select current_setting($1)::int as number, current_setting($2) as version, current_setting($3) as encoding';
  refuseAddress(db.pool.options?.connectionString);
  const [{ number, version, encoding }] = await queryOn<ServerRow>(db.pool, text, [
    'server_version_num',
    'server_version',
    'server_encoding',
  ]).catch((error) => {
    throw connectionFault(db, error);
  });
  if (Math.floor(number / 10_000) < oldestServerMajor) {
    const message = `The database is PostgreSQL ${version}; version ${oldestServerMajor} or newer is needed.`;
    throw new DomainError('UNAVAILABLE', message, { metadata: { version } });
  }
  if (encoding !== 'UTF8') {
    const message = `The database's encoding is ${encoding}, which cannot store all texts; create one with encoding UTF8.`;
    throw new DomainError('UNAVAILABLE', message, { metadata: { encoding } });
  }
}

/** Checks a server that is written to; a backup may be taken from a standby. */
export async function checkWritableServer(db: Database): Promise<void> {
  await checkServer(db);
  await checkWritable(db);
}

type SessionRow = { pid: number; isReadOnly: boolean };

/**
 * Checks that the database accepts writes now, in sessions of our own.
 * @throws UNAVAILABLE with one of `databaseFaults`. The connection is closed, so that the next one
 *   may reach another server.
 */
export async function checkWritable(db: Pick<Database, 'pool'>): Promise<void> {
  const client = await connect(db);
  let isUsable = false;
  try {
    const text = 'select pg_backend_pid() as pid, current_setting($1)::bool as "isReadOnly"';
    const [{ pid, isReadOnly }] = await queryOn<SessionRow>(client, text, ['transaction_read_only']);
    if (isReadOnly) throw new DomainError('UNAVAILABLE', databaseFaults.readOnly);
    /** A pooler gives its clients process numbers of its own. */
    const isPooled = pid !== (client as { processID?: number }).processID;
    if (isPooled && (await sharesSessions(db, client)))
      throw new DomainError('UNAVAILABLE', databaseFaults.pooled);
    isUsable = true;
  } catch (error) {
    throw translateError(error);
  } finally {
    client.release(!isUsable);
  }
}

/** A single round could be misled by other clients of the pooler. */
const rounds = 3;

/** Returns whether a connection changes its session between statements, or shares it with another connection. */
async function sharesSessions(db: Pick<Database, 'pool'>, client: pg.ClientBase): Promise<boolean> {
  const pidOf = async (asked: pg.ClientBase) =>
    (await queryOn<{ pid: number }>(asked, 'select pg_backend_pid() as pid'))[0].pid;
  const other = await connect(db);
  try {
    const pids = new Set<number>();
    const otherPids = new Set<number>();
    for (let round = 0; round < rounds; round++) {
      pids.add(await pidOf(client)).add(await pidOf(client));
      otherPids.add(await pidOf(other));
    }
    return pids.size > 1 || otherPids.size > 1 || [...pids].some((pid) => otherPids.has(pid));
  } finally {
    other.release();
  }
}

/** Addresses of libpq that the driver misreads. */
const unsupportedAddresses: [form: RegExp, advice: string][] = [
  [
    /^\w+:\/\/([^@/?]*@)?(?![^/?]*@)[^/?]*,|[?&]host=[^&]*(,|%2c)/i,
    'names several hosts; name one that leads to the server which accepts writes, such as that of a proxy or of the provider',
  ],
  [
    /[?&]target_session_attrs=(read-only|standby|prefer-standby)(&|$)/,
    'asks for a server without writes (target_session_attrs); the service needs one that accepts them',
  ],
  [
    /[?&]sslmode=(?!(disable|prefer|require|verify-ca|verify-full|no-verify)(&|$))/,
    'has an unknown sslmode; use disable, require, verify-ca or verify-full',
  ],
];

function refuseAddress(address = ''): void {
  const [, advice] = unsupportedAddresses.find(([form]) => form.test(address)) ?? [];
  if (!advice) return;
  throw new DomainError(
    'UNAVAILABLE',
    `The database address ${advice}. It is --database-url (DATABASE_URL).`,
  );
}

type Target = { host: string; port: number; user: string; database: string };

/** Reasons of a refusal, by SQLSTATE. */
const refusals: Record<string, (target: Target, message: string) => string> = {
  '28P01': wrongCredentials,
  '28000': wrongCredentials,
  '3D000': ({ database }) => `has no database "${database}"; name another one, or create it`,
  '53300': () => 'has no free connection; raise its max_connections or close some',
};

function wrongCredentials({ user }: Target): string {
  return `does not accept user "${user}"; check user and password`;
}

/** Reasons why a server cannot be reached, by system error. */
const absences: Record<string, string> = {
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the name of the host cannot be looked up at the moment',
  ECONNREFUSED: 'no server listens there',
  ENOENT: 'no server listens there',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the host is unreachable',
  ETIMEDOUT: 'it does not answer',
};

/** Reasons of a refusal, by the message of the driver or of Node, which have no SQLSTATE. */
const earlyRefusals: [message: RegExp, reason: (target: Target, message: string) => string][] = [
  [/client password must be a/, ({ user }) => `asks user "${user}" for a password, and none is given`],
  [/does not support SSL/, () => 'offers no TLS; turn it on there, or use sslmode=disable'],
  [
    /certificate|altnames/,
    (_, message) =>
      `has a certificate that cannot be verified (${message.split(/[;.]/, 1)}); name its CA with sslrootcert=FILE, or use sslmode=require, which does not verify`,
  ],
];

function connectionFault(db: Database, error: unknown): DomainError {
  const target = targetOf(db);
  if (target === undefined) {
    /** The driver reads certificates such as `sslrootcert` with the address. */
    const { path } = error as NodeJS.ErrnoException;
    const message = path
      ? `The database address names the file ${path}, which cannot be opened.`
      : 'The database address cannot be read; it looks like postgres://USER:PASSWORD@HOST:5432/DATABASE.';
    return new DomainError('UNAVAILABLE', `${message} It is --database-url (DATABASE_URL).`, {
      cause: error,
    });
  }
  const { code = '', message } = error as { code?: string; message: string };
  const place = `The database server at ${target.host}:${target.port}`;
  const [, early] = earlyRefusals.find(([pattern]) => pattern.test(message)) ?? [];
  const why =
    (refusals[code] ?? early)?.(target, message) ??
    `cannot be reached: ${absences[code] ?? message.replace(/\.$/, '')}`;
  const { host, database } = target;
  return new DomainError('UNAVAILABLE', `${place} ${why}. The address is --database-url (DATABASE_URL).`, {
    metadata: { host, port: String(target.port), database },
    cause: error,
  });
}

/** The driver takes any other text for the name of a database on a default host. */
const addressForms = /^(postgres|postgresql|socket):\/\/?|^\//;

/** Returns the address as the driver reads it; undefined when it cannot. */
function targetOf({ pool }: Database): Target | undefined {
  const { connectionString } = pool.options;
  if (connectionString !== undefined && !addressForms.test(connectionString)) return undefined;
  try {
    const { host, port, user = '', database = '' } = new pg.Client(pool.options);
    return { host, port, user, database };
  } catch {
    return undefined;
  }
}
