/** Databases on an existing Citus cluster, with one name on all its servers. */

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Connection, Database } from '../../src/repository/database.ts';
import { isCluster } from '../../src/repository/distribution.ts';

export type Cluster = { connection: Connection; drop(): Promise<void> };

export type Place = { host: string; port: number };

/** As many as the buckets of tests; creating Citus' default of 32 takes four times as long. */
const shardCount = 8;
const isInUse = '55006';
const mostDrops = 20;

/**
 * @param coordinatorUrl Any database of the cluster; its workers are used.
 * @param reach Returns the address of a worker for the new database, for tests that make it
 * unreachable.
 */
export async function createCluster(
  coordinatorUrl: string,
  reach: (worker: Place) => Place | Promise<Place> = (worker) => worker,
): Promise<Cluster> {
  const url = new URL(coordinatorUrl);
  const common = { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  const coordinator = { ...common, host: url.hostname, port: Number(url.port || 5432) };
  const known = await listWorkers({ ...coordinator, database: url.pathname.slice(1) });
  const workers = known.map((place) => ({ ...common, ...place }));
  const name = `test_${randomBytes(8).toString('hex')}`;
  const places = [...workers, coordinator];
  for (const place of places) {
    await ask({ ...place, database: 'postgres' }, `create database ${name}`);
    await ask({ ...place, database: name }, 'create extension citus');
  }
  const connection = { ...coordinator, database: name };
  await ask(connection, `alter database ${name} set citus.shard_count = ${shardCount}`);
  await ask(connection, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`);
  await inTurn({ ...coordinator, database: 'postgres' }, async () => {
    for (const worker of workers) {
      const { host, port } = await reach(worker);
      await ask(connection, `select citus_add_node('${host}', ${port})`);
    }
  });
  return {
    connection,
    async drop() {
      for (const place of places.toReversed()) await dropDatabase(place, name);
    },
  };
}

/**
 * The servers with the rows of the large tables: the database's own, or the workers of its cluster.
 */
export async function serversOf({
  pool,
  connection,
}: Database & { connection: Connection }): Promise<Connection[]> {
  if (!(await isCluster(pool))) return [connection];
  return (await listWorkers(connection)).map((place) => ({ ...connection, ...place }));
}

const listWorkers = (connection: Connection) =>
  ask<Place>(
    connection,
    'select node_name as host, node_port::int as port from citus_get_active_worker_nodes()',
  );

/** The extension's background worker reconnects to a database after it was disconnected. */
async function dropDatabase(
  place: Place & Pick<Connection, 'user' | 'password'>,
  name: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask({ ...place, database: 'postgres' }, `drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (attempt === mostDrops || (error as { code?: string }).code !== isInUse) throw error;
    }
  }
}

/**
 * Nodes cannot be added to two databases at once: both write to the roles that all databases share.
 */
async function inTurn(connection: Connection, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('citus_add_node'))`);
    await work();
  } finally {
    await client.end();
  }
}

async function ask<Row>(connection: Connection, text: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}
