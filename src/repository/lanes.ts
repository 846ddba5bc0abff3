/**
 * Lanes: each node stores events under a number of its own, so that no node waits for another's
 * counter.
 *
 * A lane is a lease that its node renews by a heartbeat; after a minute without one, another node
 * may take it. Only speed depends on it: events of two nodes in one lane are still aggregated once.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import { bucketCountOf, listBuckets } from './buckets.ts';
import type { Database } from './database.ts';
import { endsOf, listFeedEnds } from './feeds.ts';

const heartbeatMs = 5_000;
const now = sql<Date>`clock_timestamp()`;
const leaseStart = sql<Date>`clock_timestamp() - interval '60 seconds'`;
/** A node without a heartbeat for so long stores no events now. */
const activeSince = sql<Date>`clock_timestamp() - interval '15 seconds'`;

/** Numbers that are made of lane numbers give them ten bits. */
const mostLanes = 1_023;

const retryMs = 100;

/** Takes a free lane; waits while there is none. */
export async function claimLane(db: Database, node: string): Promise<number> {
  for (;;) {
    const claimed = (await takeFreeLane(db, node)) ?? (await addLane(db, node));
    if (claimed) return claimed.lane;
    await delay(retryMs);
  }
}

const takeFreeLane = ({ kysely }: Database, node: string) =>
  kysely
    .updateTable('lanes')
    .set({ node, seen_at: now })
    .where('lane', '=', ({ selectFrom }) =>
      selectFrom('lanes')
        .select('lane')
        .where('seen_at', '<', leaseStart)
        .orderBy('lane')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning('lane')
    .executeTakeFirst();

const addLane = ({ kysely }: Database, node: string) =>
  kysely
    .insertInto('lanes')
    .columns(['lane', 'node', 'seen_at'])
    .expression(({ selectFrom, val }) =>
      selectFrom('lanes')
        .select([sql`coalesce(max(lane), 0) + 1`.as('lane'), val(node).as('node'), now.as('seen_at')])
        .having(sql<boolean>`coalesce(max(lane), 0) < ${sql.lit(mostLanes)}`),
    )
    .onConflict((conflict) => conflict.column('lane').doNothing())
    .returning('lane')
    .executeTakeFirst();

/** Renews the lease. Returns false when another node has taken the lane. */
export async function holdLane(db: Database, lane: number, node: string): Promise<boolean> {
  const { numUpdatedRows } = await db.kysely
    .updateTable('lanes')
    .set({ seen_at: now })
    .where('lane', '=', lane)
    .where('node', '=', node)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Frees the lane, so that another node may take it at once. */
export async function leaveLane(db: Database, lane: number, node: string): Promise<void> {
  await db.kysely
    .updateTable('lanes')
    .set({ seen_at: sql<Date>`'-infinity'::timestamptz` })
    .where('lane', '=', lane)
    .where('node', '=', node)
    .execute();
}

/** Counts the nodes in other lanes that store events. */
export async function countOtherNodes(db: Database, lane: number): Promise<number> {
  const { count } = await db.kysely
    .selectFrom('lanes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('lane', '<>', lane)
    .where('seen_at', '>', activeSince)
    .executeTakeFirstOrThrow();
  return count;
}

export type LaneKeeper = {
  /** The node's lane; it changes when the node sent no heartbeat for long. */
  readonly lane: number;
  /** Other nodes of the same database, as of some seconds ago. */
  readonly otherNodes: number;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type LaneKeeperOptions = {
  db: Database;
  /** Unique name of this node. */
  node: string;
  /** Called with a new lane and the last event number of each bucket in it, before an event is stored in it. */
  onTaken(lane: number, ends: number[]): void;
  logger: Pick<Logger, 'warn'>;
};

/** The lane is 1 until the keeper is started. */
export function createLaneKeeper({ db, node, onTaken, logger }: LaneKeeperOptions): LaneKeeper {
  let lane = 1;
  let otherNodes = 0;
  const take = async () => {
    const taken = await claimLane(db, node);
    const ends = await listFeedEnds(db, 'events', await listBuckets(db));
    const ofLane = ends.filter((end) => end.lane === taken);
    onTaken(taken, endsOf(ofLane, await bucketCountOf(db)));
    lane = taken;
  };
  const keeping = createPeriodic({
    async work() {
      if (!(await holdLane(db, lane, node))) await take();
      otherNodes = await countOtherNodes(db, lane);
    },
    pauseMs: heartbeatMs,
    complaint: 'The lane of this node could not be renewed; trying again.',
    logger,
  });
  return {
    get lane() {
      return lane;
    },
    get otherNodes() {
      return otherNodes;
    },
    async start() {
      await take();
      keeping.start();
    },
    async stop() {
      await keeping.stop();
      await leaveLane(db, lane, node).catch(() => undefined);
    },
  };
}
