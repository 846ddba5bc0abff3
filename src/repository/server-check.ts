/**
 * Checks a database server before it is used: reachable, accepts the credentials, new enough,
 * encoding UTF-8. Each failure is one sentence for the operator.
 */

import pg from 'pg';
import { DomainError } from '../errors.ts';
import { type Database, query, queryOn } from './database.ts';
import type { Shape } from './row-shape.ts';

const oldestServerMajor = 15;

type ServerRow = { number: number; version: string; encoding: string };

const serverShape: Shape<ServerRow> = { number: 'int4', version: 'text', encoding: 'text' };

/** @throws UNAVAILABLE with the reason. */
export async function checkServer(db: Database): Promise<void> {
  const text =
    'select current_setting($1)::int as number, current_setting($2) as version, current_setting($3) as encoding';
  const statement = { text, values: ['server_version_num', 'server_version', 'server_encoding'] };
  const [{ number, version, encoding }] = await queryOn(db.pool, statement, serverShape).catch((error) => {
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
  const text = 'select current_setting($1)::bool as "isReadOnly"';
  const statement = { name: '', text, values: ['transaction_read_only'] };
  const [{ isReadOnly }] = await query<{ isReadOnly: boolean }>(db, statement, { isReadOnly: 'bool' });
  if (!isReadOnly) return;
  const message =
    'The database is read-only: it is a standby, or default_transaction_read_only is set. Use one that accepts writes.';
  throw new DomainError('UNAVAILABLE', message);
}

type Target = { host: string; port: number; user: string; database: string };

/** Reasons of a refusal, by SQLSTATE. */
const refusals: Record<string, (target: Target) => string> = {
  '28P01': wrongCredentials,
  '28000': wrongCredentials,
  '3D000': ({ database }) => `has no database "${database}"; name another one, or create it`,
  '53300': () => 'has no free connection; raise its max_connections or close some',
};

function wrongCredentials({ user }: Target): string {
  return `does not accept user "${user}"; check user and password`;
}

function asksForPassword({ user }: Target): string {
  return `asks user "${user}" for a password, and none is given`;
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

/** The driver's error for an address without a password, which has no code. */
const noPassword = /client password must be a/;

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
  const refusal = noPassword.test(message) ? asksForPassword : refusals[code];
  const why = refusal?.(target) ?? `cannot be reached: ${absences[code] ?? message.replace(/\.$/, '')}`;
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
