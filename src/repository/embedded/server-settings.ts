/**
 * The embedded server's settings, all on the command line so that an upgrade of the service needs no edit of files.
 *
 * It listens on a Unix socket in a private folder and nowhere else; the folder's mode is the authentication.
 */

import { socketPort } from './socket-folder.ts';

const settings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '256MB',
  wal_compression: 'on',
  max_wal_size: '2GB',
  /** A log file that is filled with zeros when it is begun holds up all commits for as long: 60 to 100 ms, under load each second. */
  // Files of 1 MB are as even, but their size is fixed when the database is created.
  wal_init_zero: 'off',
  synchronous_commit: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  /** Statements hold personal data and stay out of the log. */
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  /** The data lies on local solid state storage, where an index is never dearer than it looks. */
  random_page_cost: '1.1',
  /** Fresh statistics soon after a bulk load: cached plans of the hot statements follow them. */
  autovacuum_naptime: '10s',
  /** A fifth of the usual sample: gathering it takes a processor for a fifth of a second, beside requests, again and again. */
  default_statistics_target: '20',
  /** Parallel workers would share memory through /dev/shm, which containers keep small. */
  max_parallel_workers_per_gather: '0',
};

export function serverArguments(clusterDir: string, socketDir: string): string[] {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterDir, '-k', socketDir, '-p', String(socketPort), ...flags];
}
