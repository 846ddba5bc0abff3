/** The settings and the log of the embedded server. */
import { closeSync, existsSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';
import { socketPort } from './socket-folder.ts';

/**
 * All on the command line, so that an upgrade of the service edits no file. The server listens on a
 * Unix socket in a private folder and nowhere else; the folder's mode is the authentication.
 */
const settings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '256MB',
  wal_compression: 'on',
  max_wal_size: '2GB',
  /** Filling a new log file with zeros delays all commits by 60 to 100 ms, under load every second. */
  // Files of 1 MB are as even, but their size is fixed when the database is created.
  wal_init_zero: 'off',
  synchronous_commit: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  /** Keeps statements, which hold personal data, out of the log. */
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  /** For local solid state storage. */
  random_page_cost: '1.1',
  /** Fresh statistics soon after a bulk load: cached plans of the hot statements follow them. */
  autovacuum_naptime: '10s',
  /** A fifth of the usual sample: gathering it takes a processor for 0.2 s again and again, beside requests. */
  default_statistics_target: '20',
  /** Parallel workers share memory through /dev/shm, which containers keep small. */
  max_parallel_workers_per_gather: '0',
};

export function serverArguments(clusterDir: string, socketDir: string): string[] {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterDir, '-k', socketDir, '-p', String(socketPort), ...flags];
}

/** A larger log is renamed at a start and emptied while the server runs. */
const maxLogBytes = 16 * 1024 * 1024;

/** Bytes at the end of the log that an error quotes from. */
const quoteBytes = 4_096;

/** Keeps the previous log beside the new one as `postgres.log.1`. */
export function rotateLog(path: string): void {
  if (logSize(path) > maxLogBytes) renameSync(path, `${path}.1`);
}

/** The server appends, so emptying its open file is safe. */
export function boundLog(path: string): void {
  if (logSize(path) > maxLogBytes) truncateSync(path);
}

export const logSize = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

/** Lines of every start and stop, which explain nothing. */
const routine = /LOG: +(starting PostgreSQL|listening on|database system is)/;

/** Returns the last errors written after `sinceByte` on one line. */
export function quoteLog(path: string, sinceByte: number): string {
  const size = logSize(path);
  const from = Math.max(sinceByte, size - quoteBytes);
  const bytes = Buffer.alloc(Math.max(0, size - from));
  const file = openSync(path, 'r');
  const count = readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  const lines = bytes.toString('utf8', 0, count).trim().split('\n');
  const complaints = lines.filter((line) => !routine.test(line)).slice(-4);
  return complaints.map((line) => line.replace(/^.*? (?=[A-Z]+: )/, '').trim()).join(' ');
}
