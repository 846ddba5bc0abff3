/**
 * Notices a server that has fallen silent: its connections stay open, and nothing comes any more. A machine that stopped or a
 * network that passes nothing on tells nobody, and a statement would be waited for until the longest is over.
 *
 * Whoever waits long for an answer has the server asked by a new connection whether it is there. Any answer of it says yes, also
 * one that refuses. When none comes, all connections that heard nothing meanwhile are given up, and what waits for them fails. So
 * are those that waited all the while when a server behind it is silent (silent-workers.ts), which is then asked for until it is heard.
 */

import pg from 'pg';
import type { Logger } from 'pino';
import { findSilentServers, listServers, noteSilent, type Server } from './silent-workers.ts';

export type SilenceTimes = {
  /** A connection in use that has been silent for so long makes it ask. */
  suspiciousMs: number;
  /** How long the server has for its answer. */
  patienceMs: number;
};

const usualTimes: SilenceTimes = { suspiciousMs: 2_000, patienceMs: 4_000 };
/** Looks while a connection is suspicious. */
const looks = 4;

/** What a connection had received when it was looked at last, and whether somebody uses it. */
type Heard = { isUsed: boolean; bytes: number; sinceMs: number };

export type SilenceOptions = {
  times?: SilenceTimes;
  /** Is told which servers behind the one that is connected to are silent. */
  logger?: Pick<Logger, 'warn'>;
};

/** @param target Where the pool's connections lead. */
export function watchSilence(
  pool: pg.Pool,
  target: pg.ClientConfig,
  { times = usualTimes, logger }: SilenceOptions = {},
): void {
  const open = new Map<pg.PoolClient, Heard>();
  let looking: NodeJS.Timeout | undefined;
  let isAsking = false;
  let isPartSilent = false;
  const tell = createTale(logger);

  const ask = async () => {
    const before = Array.from(open, ([client, heard]) => ({ client, ...heard, bytes: bytesOf(client) }));
    const silent = await findSilent(target, times.patienceMs);
    const isThere = silent !== 'all';
    if (isThere) {
      noteSilent(pool, silent);
      tell(silent);
      isPartSilent = silent.length > 0;
      if (!isPartSilent) return;
    }
    for (const { client, isUsed, sinceMs, bytes } of before) {
      const hasWaited = !isThere || (isUsed && open.get(client)?.sinceMs === sinceMs);
      if (hasWaited && bytesOf(client) === bytes) streamOf(client).destroy();
    }
  };
  const look = () => {
    const isIdle = !isPartSilent && [...open.values()].every(({ isUsed }) => !isUsed);
    if (isIdle || pool.ending) {
      clearInterval(looking);
      looking = undefined;
      return;
    }
    if (isAsking || !(takeSuspicious(open, times.suspiciousMs) || isPartSilent)) return;
    isAsking = true;
    void ask().finally(() => {
      isAsking = false;
    });
  };
  const note = (client: pg.PoolClient, isUsed: boolean) => {
    const heard = open.get(client);
    if (heard) Object.assign(heard, { isUsed, bytes: bytesOf(client), sinceMs: performance.now() });
  };
  pool.on('connect', (client) => open.set(client, { isUsed: false, bytes: 0, sinceMs: 0 }));
  pool.on('remove', (client) => open.delete(client));
  pool.on('acquire', (client) => {
    note(client, true);
    looking ??= setInterval(look, times.suspiciousMs / looks).unref();
  });
  pool.on('release', (_error, client) => note(client, false));
}

/** Whether one has been silent for long; it is asked for again as much later. */
function takeSuspicious(open: ReadonlyMap<pg.PoolClient, Heard>, suspiciousMs: number): boolean {
  const nowMs = performance.now();
  let found = false;
  for (const [client, heard] of open) {
    if (!heard.isUsed) continue;
    const now = bytesOf(client);
    const isSilent = now === heard.bytes && nowMs - heard.sinceMs >= suspiciousMs;
    found ||= isSilent;
    if (isSilent || now !== heard.bytes) Object.assign(heard, { bytes: now, sinceMs: nowMs });
  }
  return found;
}

/** Tells once which servers are silent, and once that they are heard again. */
function createTale(logger: Pick<Logger, 'warn'> | undefined): (silent: readonly Server[]) => void {
  let told = '';
  return (silent) => {
    const servers = silent.map(({ host, port }) => `${host}:${port}`);
    const isNews = servers.join() !== told;
    told = servers.join();
    if (!isNews) return;
    if (silent.length > 0)
      logger?.warn({ servers }, 'Servers of the database are silent; what needs them is refused meanwhile.');
    else logger?.warn({}, 'All servers of the database are heard again.');
  };
}

/** The silent ones behind the server that is connected to; `all` when nothing is heard of that one. */
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

type Stream = { bytesRead: number; destroy(): void };

/** The driver declares no types for what a client stands on. */
const streamOf = (client: pg.PoolClient) =>
  (client as unknown as { connection: { stream: Stream } }).connection.stream;
const bytesOf = (client: pg.PoolClient): number => streamOf(client).bytesRead ?? 0;
