/**
 * A database on the cluster with a relay to one of its workers, so that only this database can lose
 * the worker. The cluster must run on this machine.
 */

import type { ExecutionContext } from 'ava';
import { createDatabase, type Database } from '../../../src/repository/database.ts';
import { createCluster } from '../../support/citus.ts';
import { addressOf } from '../../support/database-address.ts';
import { type Relay, startRelay, toTarget } from '../../support/relay.ts';

export type PassingWorker = {
  db: Database;
  databaseUrl: string;
  /** The relay to the worker. */
  relay: Relay;
  /** Its buckets, once there is a schema. */
  listItsBuckets(bucketCount: number): Promise<Set<number>>;
};

const placesStatement = `
select bucket from generate_series(0, $1 - 1) as bucket
join pg_dist_placement on shardid = get_shard_id_for_distribution_column('items', bucket)
join pg_dist_node using (groupid)
where nodeport = $2`;

export async function createPassingWorker(
  t: Pick<ExecutionContext, 'teardown'>,
  coordinatorUrl: string,
): Promise<PassingWorker> {
  let relay: Relay | undefined;
  const cluster = await createCluster(coordinatorUrl, async (worker) => {
    if (relay !== undefined) return worker;
    relay = await startRelay({ target: () => toTarget(worker) });
    return { host: worker.host, port: relay.port };
  });
  const db = createDatabase(cluster.connection, { poolSize: 2 });
  t.teardown(async () => {
    await db.close();
    await cluster.drop();
    relay?.close();
  });
  return {
    db,
    databaseUrl: addressOf(cluster.connection),
    relay: relay!,
    async listItsBuckets(bucketCount) {
      const { rows } = await db.pool.query(placesStatement, [bucketCount, relay!.port]);
      return new Set(rows.map(({ bucket }) => bucket));
    },
  };
}
