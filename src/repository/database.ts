/**
 * Access to Postgres: one pool, prepared statements for requests, Kysely for the rest.
 *
 * Errors of the driver are translated here. Temporary failures (a lost connection, a timeout, a
 * full server) become UNAVAILABLE, which callers may retry; a text that no database can store
 * becomes PARAMETER_INVALID; anything else is a bug: INTERNAL.
 */
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type RawBuilder,
  sql,
} from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { DomainError } from '../errors.ts';
import type { Schema } from './schema.ts';
import { createWatchedPool } from './silence.ts';
import { assertReachable } from './silent-workers.ts';

/** Longer than any statement of a request; migrations have no limit. */
const statementTimeoutMs = 30_000;
const usualConnectionTimeoutMs = 5_000;
const silenceMs = 5_000;
/** Longest wait for an answer: by then a server that works has ended the statement itself. */
const answerTimeoutMs = statementTimeoutMs + silenceMs;
const mostIdleMs = 10_000;
const mostLockMs = 10_000;

/**
 * Settings of every connection, which override those of its database and role. One statement sets
 * them when the connection opens; poolers refuse start-up packets with settings that they do not
 * know.
 *
 * - `transform_null_equals`, `array_nulls`, `standard_conforming_strings`: the meaning of
 *   statements and their parameters.
 * - `datestyle`, `intervalstyle`, `timezone`, `bytea_output`, `extra_float_digits`: the formats
 *   that the driver and backups read. Where clocks change, a day may have 23 hours; with fewer
 *   digits numbers would lose precision. The driver sets `client_encoding` itself.
 * - `default_transaction_isolation`: at a stricter level, statements that only wait for each
 *   other's rows would fail.
 * - `synchronous_commit`: acknowledged writes are durable. A stricter value than the default stays.
 * - `idle_session_timeout`, `transaction_timeout` (from PostgreSQL 17): a training and a restore
 *   send nothing for long, and a backup and a restore are one transaction.
 * - `idle_in_transaction_session_timeout`: a node that stops within a transaction releases its
 *   locks soon.
 */
const sessionSettings = [
  `set statement_timeout = ${statementTimeoutMs}`,
  `set idle_in_transaction_session_timeout = ${mostIdleMs}`,
  `set lock_timeout = ${mostLockMs}`,
  'set transform_null_equals = off',
  'set array_nulls = on',
  'set standard_conforming_strings = on',
  `set datestyle = 'iso, mdy'`,
  'set intervalstyle = postgres',
  `set timezone = 'UTC'`,
  'set bytea_output = hex',
  'set extra_float_digits = 1',
  `set default_transaction_isolation = 'read committed'`,
  'set idle_session_timeout = 0',
  `select set_config(name, value, false) from (values ('transaction_timeout', '0')) as bound(name, value)
    where current_setting(name, true) is not null`,
  `select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') in ('off', 'local')`,
].join(';');

export type Connection = {
  host: string;
  port: number;
  user: string;
  database: string;
  password?: string;
};

type DatabaseOptions = {
  /** Most connections; a node's batched statements need about ten. */
  poolSize: number;
  /** Longest wait for a connection [5,000]. */
  connectionTimeoutMs?: number;
  logger?: Pick<Logger, 'warn'>;
};

export type Database = {
  pool: pg.Pool;
  kysely: Kysely<Schema>;
  close(): Promise<void>;
};

/** A statement that each connection prepares once, under its name; an empty name is not prepared. */
export type Statement = { name: string; text: string; values: unknown[] };

/** @param connection The embedded database's, or a `postgres://` address as in DATABASE_URL. Connects on first use. */
export function createDatabase(connection: Connection | string, options: DatabaseOptions): Database {
  const target = typeof connection === 'string' ? { connectionString: asInLibpq(connection) } : connection;
  const { connectionTimeoutMs = usualConnectionTimeoutMs } = options;
  const pool = createWatchedPool(
    {
      ...target,
      max: options.poolSize,
      connectionTimeoutMillis: connectionTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: silenceMs,
      onConnect: async (client) =>
        void (await runOn(client, { text: sessionSettings, values: [] }, connectionTimeoutMs)),
      application_name: 'personalisation',
      types: { getTypeParser },
    },
    { logger: options.logger },
  );
  let isClosing = false;
  pool.on('error', ({ message }) => {
    if (!isClosing) options.logger?.warn({ reason: message }, 'An idle database connection was lost.');
  });
  /** Without a listener, a connection lost within a transaction would end the process. */
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: translatingPool(pool) }) });
  const close = () => {
    isClosing = true;
    return pool.end();
  };
  return { pool, kysely, close };
}

/** In libpq, these modes encrypt without verifying the server, unless `sslrootcert` names a CA. The driver would verify. */
const unverifiedModes = /[?&](sslmode=(prefer|require)|sslmode=verify-ca(?=.*[?&]sslrootcert=.))(&|$)/;

function asInLibpq(address: string): string {
  const isUnverified = unverifiedModes.test(address) && !/[?&]uselibpqcompat=/.test(address);
  return isUnverified ? `${address}&uselibpqcompat=true` : address;
}

/** Runs a statement on any connection and returns its rows. An unnamed one is not prepared. */
export async function query<Row>(
  db: Database,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await send(db, { name, text, values })).rows;
}

/** Runs a statement on the caller's connection and returns its rows. */
export async function queryOn<Row>(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await runOn(client, { text, values })).rows;
}

/** Runs a statement on any connection and returns the number of its rows. */
export async function execute(db: Database, name: string, text: string, values: unknown[]): Promise<number> {
  return (await send(db, { name, text, values })).rowCount ?? 0;
}

export async function queryRaw<Row>(db: Database, statement: RawBuilder<unknown>): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(db.kysely);
  return query(db, '', text, [...parameters]);
}

export async function executeRaw(db: Database, statement: RawBuilder<unknown>): Promise<number> {
  const { sql: text, parameters } = statement.compile(db.kysely);
  return execute(db, '', text, [...parameters]);
}

/** Runs a statement in a read-only transaction with settings of its own. */
export async function queryReadOnly<Row>(
  db: Database,
  settings: Readonly<Record<string, string>>,
  statement: { execute(transaction: Kysely<Schema>): Promise<{ rows: unknown[] }> },
): Promise<Row[]> {
  return db.kysely
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const [names, values] = [Object.keys(settings), Object.values(settings)];
      await sql`select set_config(name, value, true)
        from unnest(${names}::text[], ${values}::text[]) as given(name, value)`.execute(transaction);
      return (await statement.execute(transaction)).rows as Row[];
    });
}

/**
 * Reserves a connection, which the caller releases. A refused connection is never a bug in a
 * statement but a matter of credentials, TLS or maintenance: UNAVAILABLE.
 */
export async function connect({ pool }: Pick<Database, 'pool'>): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
}

async function send(db: Database, statement: Statement): Promise<pg.QueryResult> {
  assertReachable(db.pool, statement);
  const client = await connect(db);
  let isLost = false;
  try {
    return await runOn(client, statement, answerTimeoutMs);
  } catch (error) {
    isLost = true;
    throw translateError(error);
  } finally {
    client.release(isLost);
  }
}

/**
 * Runs a statement by callback. The driver's promises and its `query_timeout` assign functions to
 * properties of the query. V8 allocates such a function in the old space, and the parameters and
 * rows it reaches outlive every short collection.
 */
function runOn(
  client: Pick<pg.ClientBase, 'query'>,
  statement: Pick<Statement, 'text' | 'values'>,
  timeoutMs?: number,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('Query read timeout'));
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
    client.query(statement, (error, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/** Returns a Kysely over one reserved connection, without a limit on the time of its statements. */
export function kyselyOn(client: pg.PoolClient): Kysely<Schema> {
  const reserved = { ...translatingClient(client), release: () => undefined };
  const pool: PostgresPool = { connect: async () => reserved, end: async () => undefined };
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Parses int8 as numbers: sequences and counts stay far below 2^53. */
function getTypeParser(oid: number, format?: string) {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

function translatingPool(pool: pg.Pool): PostgresPool {
  const connectTranslating = async () => translatingClient(await connect({ pool }), pool);
  return { connect: connectTranslating, end: () => pool.end() };
}

/** @param pool Given for its connections: statements are limited as those of `query`. */
function translatingClient(client: pg.PoolClient, pool?: pg.Pool): PostgresPoolClient {
  let isLost = false;
  const run = async (text: string, values: unknown[]) => {
    if (pool) assertReachable(pool, { text, values });
    try {
      return await runOn(client, { text, values }, pool && answerTimeoutMs);
    } catch (error) {
      isLost = true;
      throw translateError(error);
    }
  };
  return { query: run as unknown as PostgresPoolClient['query'], release: () => client.release(isLost) };
}

/** SQLSTATEs: connection, resources, intervention; serialisation, deadlock, lock and transaction timeout. */
const passingStates = /^(08|53|57)|^(40001|40P01|55P03|25P03|25P04)$/;

/** System errors: the server is away, or this machine has no files, ports or buffers left. */
const passingFaults =
  /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS)/;
/** Errors of the driver, which have no code. */
const passingMessages =
  /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered|Cannot use a pool)/;

/** Errors that a caller's text can cause: a NUL character, a key longer than an index entry. */
const contentComplaints: Record<string, string> = {
  '22021': 'A text contains a character that cannot be stored (U+0000).',
  '54000': 'An identifier is too long.',
};

/** Causes that start, readiness and refused calls report in the same words. */
export const databaseFaults = {
  readOnly:
    'The database is read-only: it is a standby (after a failover, connect to the new primary), or default_transaction_read_only is set.',
  pooled:
    'The database address leads to a pooler in transaction mode, where connections lose their settings, prepared statements and locks. Use the address of the database server, or session mode (PgBouncer: pool_mode = session).',
} as const;

export const isDatabaseFault = (message: string): boolean =>
  Object.values<string>(databaseFaults).includes(message);

/** By SQLSTATE. In a shared session, a prepared statement exists already, or not any more. */
const faultStates: Record<string, string> = {
  25006: databaseFaults.readOnly,
  26000: databaseFaults.pooled,
  '42P05': databaseFaults.pooled,
};

/** Translates a driver's error to the one that callers of the repository get. */
export function translateError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const complaint = contentComplaints[code];
  if (complaint !== undefined) return new DomainError('PARAMETER_INVALID', complaint, { cause: error });
  const fault = faultStates[code];
  if (fault !== undefined) return new DomainError('UNAVAILABLE', fault, { cause: error });
  if (passingStates.test(code) || passingFaults.test(code) || passingMessages.test(message)) {
    return unavailable(error);
  }
  return new DomainError('INTERNAL', 'The database refused a statement.', { cause: error });
}

function unavailable(cause: unknown): DomainError {
  return new DomainError('UNAVAILABLE', 'The database is not available at the moment; try again.', { cause });
}
