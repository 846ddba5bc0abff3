/**
 * Detects silent servers of a cluster behind a coordinator that answers, and refuses statements
 * that need one.
 *
 * Such a statement would hold its connection until the statement timeout; soon all connections
 * would be held.
 */

import pg from 'pg';
import { DomainError } from '../errors.ts';

/** A server with the buckets it holds. */
export type Server = { host: string; port: number; buckets: number[] };

const clusterStatement = `select where to_regclass('pg_dist_node') is not null`;

/** Read again for each check, since an operator may move shards. */
const serversStatement = `
select nodename as host, nodeport as port, array_agg(bucket::int) as buckets
from settings
cross join generate_series(0, value::text::int - 1) as bucket
join pg_dist_placement on shardid = get_shard_id_for_distribution_column('events', bucket)
join pg_dist_node using (groupid)
where key = 'bucket_count' and noderole = 'primary'
group by nodename, nodeport`;

/** Lists the servers behind a coordinator; a single server has none, and neither has a database without tables. */
export async function listServers(client: pg.Client): Promise<Server[]> {
  try {
    const { rowCount } = await client.query(clusterStatement);
    if (rowCount === 0) return [];
    return (await client.query<Server>(serversStatement)).rows;
  } catch {
    return [];
  }
}

export async function findSilentServers(
  target: pg.ClientConfig,
  servers: readonly Server[],
  patienceMs: number,
): Promise<Server[]> {
  const isSilentAt = await Promise.all(servers.map((server) => isSilent(target, server, patienceMs)));
  return servers.filter((_, place) => isSilentAt[place]);
}

/** Reads no table, so it waits for no lock. A server that refuses ends the statement at once and is not silent. */
const checkStatement = 'select citus_check_connection_to_node($1, $2)';
const timeoutState = '57014';

async function isSilent(
  target: pg.ClientConfig,
  { host, port }: Server,
  patienceMs: number,
): Promise<boolean> {
  const limits = { connectionTimeoutMillis: patienceMs, query_timeout: 2 * patienceMs };
  const client = new pg.Client({ ...target, ...limits });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`set statement_timeout = ${patienceMs}`);
    await client.query(checkStatement, [host, port]);
    return false;
  } catch (error) {
    return (error as pg.DatabaseError).code === timeoutState;
  } finally {
    void client.end().catch(() => undefined);
  }
}

const silentBuckets = new WeakMap<pg.Pool, ReadonlySet<number>>();

export function noteSilent(pool: pg.Pool, servers: readonly Server[]): void {
  silentBuckets.set(pool, new Set(servers.flatMap(({ buckets }) => buckets)));
}

/** How a statement names its buckets: by column, or as a function's first parameter. */
const naming = /\bbucket"? = (?:any\()?\$(\d+)|\b(?!insert_batch_below)[a-z]+_\w+\(\$(1),/;

/** Returns the buckets that a statement names in its parameters. */
export function bucketsNamedBy({ text, values }: { text: string; values: readonly unknown[] }): number[] {
  const [, place, first] = naming.exec(text) ?? [];
  const named = values[Number(place ?? first) - 1];
  return (Array.isArray(named) ? named : [named]).filter((bucket) => Number.isInteger(bucket));
}

/** @throws When a statement names a bucket on a silent server. */
export function assertReachable(
  pool: pg.Pool,
  statement: { text: string; values: readonly unknown[] },
): void {
  const silent = silentBuckets.get(pool);
  if (!silent?.size || !bucketsNamedBy(statement).some((bucket) => silent.has(bucket))) return;
  const message = 'A server of the database does not answer at the moment; try again.';
  throw new DomainError('UNAVAILABLE', message);
}
