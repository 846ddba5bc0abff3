/**
 * Detects a database server that has stopped answering while its connections stay open, as when its
 * machine stops or the network drops packets. Without it a statement would wait until the longest
 * timeout.
 *
 * A connection that waits long for an answer makes the pool open a new connection, to check whether
 * the server is there. Any answer counts, also a refusal. Without one, all connections that
 * received nothing meanwhile are closed, and their statements fail. When a server behind the
 * connected one is silent (silent-workers.ts), connections that waited all the while are closed,
 * and the check is repeated until the server answers.
 */

import { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from 'pino';
import { findSilentServers, listServers, noteSilent, type Server } from './silent-workers.ts';

export type SilenceTimes = {
  /** A connection in use that has received nothing for so long triggers a check. */
  suspiciousMs: number;
  patienceMs: number;
};

const usualTimes: SilenceTimes = { suspiciousMs: 2_000, patienceMs: 4_000 };

/** Inspections of the connections within `suspiciousMs`. */
const inspections = 4;

/** Bytes that a connection had received at the last inspection. */
type Traffic = { socket: Socket; isUsed: boolean; bytes: number; sinceMs: number };

export type SilenceOptions = {
  times?: SilenceTimes;
  /** Logs which servers behind the connected one are silent. */
  logger?: Pick<Logger, 'warn'>;
};

/** Creates a pool that closes its connections when the server is silent. */
export function createWatchedPool(
  config: pg.PoolConfig,
  { times = usualTimes, logger }: SilenceOptions = {},
): pg.Pool {
  const sockets = new WeakMap<object, Socket>();
  const open = new Map<pg.PoolClient, Traffic>();
  /** The driver tells no client's socket, so each client is given its own. */
  const WatchedClient = function createClient(options: pg.ClientConfig) {
    const socket = new Socket();
    const client = new pg.Client({ ...options, stream: () => socket });
    sockets.set(client, socket);
    return client;
  };
  const pool = new pg.Pool({ ...config, Client: WatchedClient as unknown as pg.PoolConfig['Client'] });
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;
  let isPartSilent = false;
  const logSilent = createSilenceLog(logger);

  const check = async () => {
    const before = Array.from(open.values(), (traffic) => ({ traffic, ...traffic }));
    const bytesBefore = before.map(({ socket }) => socket.bytesRead);
    const silent = await findSilent(config, times.patienceMs);
    if (silent !== 'all') {
      noteSilent(pool, silent);
      logSilent(silent);
      isPartSilent = silent.length > 0;
      if (!isPartSilent) return;
    }
    for (const [i, { traffic, socket, isUsed, sinceMs }] of before.entries()) {
      const hasWaited = silent === 'all' || (isUsed && traffic.sinceMs === sinceMs);
      if (hasWaited && socket.bytesRead === bytesBefore[i]) socket.destroy();
    }
  };
  const inspect = () => {
    const isIdle = !isPartSilent && [...open.values()].every(({ isUsed }) => !isUsed);
    if (isIdle || pool.ending) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    if (isChecking || !(updateTraffic(open.values(), times.suspiciousMs) || isPartSilent)) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  };
  const note = (client: pg.PoolClient, isUsed: boolean) => {
    const traffic = open.get(client);
    if (traffic === undefined) return;
    Object.assign(traffic, { isUsed, bytes: traffic.socket.bytesRead, sinceMs: performance.now() });
  };
  pool.on('connect', (client) =>
    open.set(client, { socket: sockets.get(client)!, isUsed: false, bytes: 0, sinceMs: 0 }),
  );
  pool.on('remove', (client) => open.delete(client));
  pool.on('acquire', (client) => {
    note(client, true);
    timer ??= setInterval(inspect, times.suspiciousMs / inspections).unref();
  });
  pool.on('release', (_error, client) => note(client, false));
  return pool;
}

/** Returns whether a connection in use has received nothing for so long; it counts again after the same time. */
function updateTraffic(open: Iterable<Traffic>, suspiciousMs: number): boolean {
  const nowMs = performance.now();
  let isSuspicious = false;
  for (const traffic of open) {
    if (!traffic.isUsed) continue;
    const bytes = traffic.socket.bytesRead;
    const isSilent = bytes === traffic.bytes && nowMs - traffic.sinceMs >= suspiciousMs;
    isSuspicious ||= isSilent;
    if (isSilent || bytes !== traffic.bytes) Object.assign(traffic, { bytes, sinceMs: nowMs });
  }
  return isSuspicious;
}

/** Logs once which servers are silent, and once that all answer again. */
function createSilenceLog(logger: Pick<Logger, 'warn'> | undefined): (silent: readonly Server[]) => void {
  let logged = '';
  return (silent) => {
    const servers = silent.map(({ host, port }) => `${host}:${port}`);
    if (servers.join() === logged) return;
    logged = servers.join();
    if (silent.length > 0)
      logger?.warn({ servers }, 'Database servers do not answer; requests that need them are refused.');
    else logger?.warn({}, 'All database servers answer again.');
  };
}

/** Returns the silent servers behind the connected one; `all` when that one does not answer itself. */
async function findSilent(target: pg.ClientConfig, patienceMs: number): Promise<readonly Server[] | 'all'> {
  const client = new pg.Client({ ...target, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await findSilentServers(target, await listServers(client), patienceMs);
  } catch (error) {
    return error instanceof pg.DatabaseError ? [] : 'all';
  } finally {
    void client.end().catch(() => undefined);
  }
}
