/**
 * The way to Postgres: one pool, prepared statements for what runs per request, Kysely for the rest.
 *
 * No driver's error leaves this room. What may pass by itself (a lost connection, a timeout, a full server) becomes UNAVAILABLE,
 * which callers may retry; a text that no database can hold becomes
 * PARAMETER_INVALID; anything else is a fault of ours and becomes INTERNAL.
 */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, type RawBuilder } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { DomainError } from '../errors.ts';
import { assertShape, type Shape } from './row-shape.ts';
import type { Schema } from './schema.ts';
import { watchSilence } from './silence.ts';
import { assertHeard } from './silent-workers.ts';

/** Longer than any statement of a request; migrations lift it. */
const statementTimeoutMs = 30_000;
const connectionTimeoutMs = 5_000;
const silenceMs = 5_000;
/** The server would have ended the statement itself by then: it is not heard of any more. */
const silentAfterMs = statementTimeoutMs + silenceMs;
const mostIdleMs = 10_000;
const mostLockMs = 10_000;

/**
 * Settings of every connection, whatever its database or role says. By one statement when it opens, so none is spent per
 * statement; not in the start-up packet, since a pooler in front refuses connections that begin with settings that it does not
 * know.
 *
 * - `transform_null_equals`, `array_nulls`, `standard_conforming_strings`: what statements and their parameters mean.
 * - `datestyle`, `intervalstyle`, `timezone`, `bytea_output`, `extra_float_digits`: what the driver reads, and what a backup
 *   holds. Where clocks change, a day may have 23 hours; with fewer digits numbers would be read as others. The driver sets
 *   `client_encoding` itself.
 * - `default_transaction_isolation`: at a stricter one, statements that only wait for each other's rows would fail.
 * - `synchronous_commit`: what was acknowledged is durable. A stricter way than the usual one stays.
 *
 * A training asks nothing while it computes, and a restore while it waits for its file; it and a backup are one transaction.
 * Servers before 17 bound none.
 *
 * A node that stops between two statements of a transaction keeps nobody waiting for long.
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

export type DatabaseOptions = {
  /** Connections kept at most; a node's batched statements need about ten. */
  poolSize: number;
  logger?: Pick<Logger, 'warn'>;
};

export type Database = {
  pool: pg.Pool;
  kysely: Kysely<Schema>;
  close(): Promise<void>;
};

/** A statement that each connection parses and plans once, by its name. */
export type Statement = { name: string; text: string; values: unknown[] };

/** `connection` is the embedded database's, or a `postgres://` address as in DATABASE_URL. Connects on first use. */
export function createDatabase(connection: Connection | string, options: DatabaseOptions): Database {
  const target = typeof connection === 'string' ? { connectionString: connection } : connection;
  const pool = new pg.Pool({
    ...target,
    max: options.poolSize,
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: silenceMs,
    onConnect: async (client) =>
      void (await runOn(client, { text: sessionSettings, values: [] }, connectionTimeoutMs)),
    application_name: 'personalisation',
    types: { getTypeParser },
  });
  let isClosing = false;
  pool.on('error', ({ message }) => {
    if (!isClosing) options.logger?.warn({ reason: message }, 'An idle database connection was lost.');
  });
  /** A connection that is lost between two statements of a transaction fails the next one; unheard, it would end the process. */
  pool.on('connect', (client) => client.on('error', () => undefined));
  watchSilence(pool, target, { logger: options.logger });
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: translatingPool(pool) }) });
  const close = () => {
    isClosing = true;
    return pool.end();
  };
  return { pool, kysely, close };
}

/** Runs a prepared statement on any connection; its rows are as declared. */
export async function query<Row>(db: Database, statement: Statement, shape: Shape<Row>): Promise<Row[]> {
  const result = await send(db, statement);
  assertShape(result, shape);
  return result.rows as Row[];
}

/** The same on a connection that its caller holds. */
export async function queryOn<Row>(
  client: Pick<pg.ClientBase, 'query'>,
  { text, values }: Omit<Statement, 'name'>,
  shape: Shape<Row>,
): Promise<Row[]> {
  const result = await runOn(client, { text, values });
  assertShape(result, shape);
  return result.rows as Row[];
}

/**
 * The same of a statement whose rows nobody reads: how many they are.
 * @param onSent Called when the statement has left this process: from then on the database does it, whatever becomes of us.
 */
export async function execute(db: Database, statement: Statement, onSent?: () => void): Promise<number> {
  return (await send(db, statement, onSent)).rowCount ?? 0;
}

/** Rows of a statement that is put together from parts. */
export async function queryRaw<Row>(
  db: Database,
  statement: RawBuilder<unknown>,
  shape: Shape<Row>,
): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(db.kysely);
  return query(db, { name: '', text, values: [...parameters] }, shape);
}

/** The number of rows that such a statement changed. */
export async function executeRaw(db: Database, statement: RawBuilder<unknown>): Promise<number> {
  const { sql: text, parameters } = statement.compile(db.kysely);
  return execute(db, { name: '', text, values: [...parameters] });
}

/** The same in a transaction of its own that only reads, under settings that end with it. */
export async function queryReadOnly<Row>(
  db: Database,
  settings: Readonly<Record<string, string>>,
  statement: RawBuilder<unknown>,
  shape: Shape<Row>,
): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(db.kysely);
  const client = await connect(db);
  let isLost = false;
  try {
    await client.query('begin read only');
    await client.query(
      'select set_config(name, value, true) from unnest($1::text[], $2::text[]) as given(name, value)',
      [Object.keys(settings), Object.values(settings)],
    );
    const rows = await queryOn(client, { text, values: [...parameters] }, shape);
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback').catch(() => {
      isLost = true;
    });
    throw translateError(error);
  } finally {
    client.release(isLost);
  }
}

/**
 * A connection for work that must stay on one; its holder releases it. Who is not let in has asked nothing that could be a fault of
 * ours: of a password that was changed, a certificate, or a database that takes nobody for the time of its maintenance.
 */
export async function connect({ pool }: Pick<Database, 'pool'>): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
}

async function send(db: Database, statement: Statement, onSent?: () => void): Promise<pg.QueryResult> {
  assertHeard(db.pool, statement);
  const client = await connect(db);
  let isLost = false;
  try {
    const result = runOn(client, statement, silentAfterMs);
    onSent?.();
    return await result;
  } catch (error) {
    isLost = true;
    throw translateError(error);
  } finally {
    client.release(isLost);
  }
}

/**
 * What a connection answers. The driver's own promise and its `query_timeout` assign functions to properties of the query. V8
 * makes such a function in the old space, and all that it reaches, parameters and rows, outlives every short collection.
 */
function runOn(
  client: Pick<pg.ClientBase, 'query'>,
  statement: Pick<Statement, 'text' | 'values'>,
  patienceMs?: number,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('Query read timeout'));
    const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
    client.query(statement, (error, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/** A Kysely over one reserved connection, for work that must stay on it. */
export function kyselyOn(client: pg.PoolClient): Kysely<Schema> {
  const reserved = { ...translatingClient(client), release: () => undefined };
  const pool: PostgresPool = { connect: async () => reserved, end: async () => undefined };
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Sequences and counts are int8 and stay far below 2^53. */
function getTypeParser(oid: number, format?: string) {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

function translatingPool(pool: pg.Pool): PostgresPool {
  const connectTranslating = async () => translatingClient(await connect({ pool }));
  return { connect: connectTranslating, end: () => pool.end() };
}

function translatingClient(client: pg.PoolClient): PostgresPoolClient {
  const run = async (text: string, values: unknown[]) => {
    try {
      return await runOn(client, { text, values });
    } catch (error) {
      throw translateError(error);
    }
  };
  return { query: run as unknown as PostgresPoolClient['query'], release: () => client.release() };
}

/** Connection, resources, operator's intervention; serialisation, deadlock, lock timeout, read only, a transaction past its time. */
const passingStates = /^(08|53|57)|^(40001|40P01|55P03|25006|25P03|25P04)$/;

/**
 * The system's codes for a server that is not there, and for a machine that has no files, ports or buffers left to reach it with;
 * and the driver's own sentences, which carry no code.
 */
const passingFaults =
  /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS)/;
const passingMessages =
  /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered|Cannot use a pool)/;

/** What a caller's text can cause: a NUL character, a key longer than an index entry. */
const contentComplaints: Record<string, string> = {
  '22021': 'A text contains a character that cannot be stored (U+0000).',
  '54000': 'An identifier is too long.',
};

/** Of a statement whose time is over. */
const timeIsOver = '57014';

/** Whether the database was away, or the part of it that was needed; a statement that took too long was answered. */
export function isAway(error: unknown): boolean {
  const { reason, cause } = error as Partial<DomainError>;
  return reason === 'UNAVAILABLE' && (cause as { code?: string } | undefined)?.code !== timeIsOver;
}

/** What the callers of this room see of a driver's error. */
export function translateError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const complaint = contentComplaints[code];
  if (complaint !== undefined) return new DomainError('PARAMETER_INVALID', complaint, { cause: error });
  if (passingStates.test(code) || passingFaults.test(code) || passingMessages.test(message)) {
    return unavailable(error);
  }
  return new DomainError('INTERNAL', 'The database refused a statement.', { cause: error });
}

function unavailable(cause: unknown): DomainError {
  return new DomainError('UNAVAILABLE', 'The database is not available at the moment; try again.', { cause });
}
