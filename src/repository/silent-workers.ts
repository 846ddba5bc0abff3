/**
 * Servers of a cluster that have fallen silent behind a coordinator that answers.
 *
 * What needs one of them would be waited for until the statement's time is over, and hold a connection meanwhile: soon it held all,
 * and nothing was answered. So while a server is silent, what is known to need it is refused at once.
 */

import pg from 'pg';
import { DomainError } from '../errors.ts';
import { assertShape, type Shape } from './row-shape.ts';

/** By server: which buckets lie there. */
export type Server = { host: string; port: number; buckets: number[] };

const clusterStatement = `select where to_regclass('pg_dist_node') is not null`;

const serverShape: Shape<Server> = { host: 'text', port: 'int4', buckets: 'int4[]' };

/** Asked anew each time, since an operator may move shards. */
const serversStatement = `
select nodename as host, nodeport as port, array_agg(bucket::int) as buckets
from settings
cross join generate_series(0, value::text::int - 1) as bucket
join pg_dist_placement on shardid = get_shard_id_for_distribution_column('events', bucket)
join pg_dist_node using (groupid)
where key = 'bucket_count' and noderole = 'primary'
group by nodename, nodeport`;

/** Reads no table, so it stands behind no lock. A server that refuses ends the statement at once, and is no silent one. */
const checkStatement = 'select citus_check_connection_to_node($1, $2)';
const timeIsOver = '57014';

/** @param client Leads to the coordinator, or to a single server, which has none behind it. */
export async function listServers(client: pg.Client): Promise<Server[]> {
  try {
    const { rowCount } = await client.query(clusterStatement);
    if (rowCount === 0) return [];
    const found = await client.query(serversStatement);
    assertShape(found, serverShape);
    return found.rows;
  } catch {
    /** It let us in, so it is there; before the tables are, nobody lies behind it. */
    return [];
  }
}

/** Those that give no answer in time. */
export async function findSilentServers(
  target: pg.ClientConfig,
  servers: readonly Server[],
  patienceMs: number,
): Promise<Server[]> {
  const asked = servers.map((server) => isSilent(target, server, patienceMs));
  const silent = await Promise.all(asked);
  return servers.filter((_, place) => silent[place]);
}

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
    return (error as pg.DatabaseError).code === timeIsOver;
  } finally {
    void client.end().catch(() => undefined);
  }
}

const silentByPool = new WeakMap<pg.Pool, ReadonlySet<number>>();

export function noteSilent(pool: pg.Pool, servers: readonly Server[]): void {
  silentByPool.set(pool, new Set(servers.flatMap(({ buckets }) => buckets)));
}

/** How a statement names its buckets; a function of the database that is called by one has the bucket first. */
const naming = /\bbucket = (?:any\()?\$(\d+)|\b(?!insert_batch_below)[a-z]+_\w+\(\$(1),/;

/** The buckets that a statement names as its parameters. */
export function bucketsNamedBy({ text, values }: { text: string; values: readonly unknown[] }): number[] {
  const [, place, first] = naming.exec(text) ?? [];
  const named = values[Number(place ?? first) - 1];
  return (Array.isArray(named) ? named : [named]).filter((bucket) => Number.isInteger(bucket));
}

/** @throws When a statement names a bucket that lies on a silent server. */
export function assertHeard(pool: pg.Pool, statement: { text: string; values: readonly unknown[] }): void {
  const silent = silentByPool.get(pool);
  if (!silent?.size || !bucketsNamedBy(statement).some((bucket) => silent.has(bucket))) return;
  const message = 'A server of the database does not answer at the moment; try again.';
  throw new DomainError('UNAVAILABLE', message);
}
