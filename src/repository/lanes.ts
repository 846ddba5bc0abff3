/**
 * Lanes: each node stores events under a number of its own, so that its events follow one another and
 * no node waits for another's counter.
 *
 * A lane is held by being seen; one that was not seen for a minute is another node's to take. Nothing
 * depends on it but speed: two nodes in one lane count everything once all the same.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import { bucketCountOf, listBuckets } from './buckets.ts';
import { type Database, execute, query } from './database.ts';
import { endsOf, listFeedEnds } from './feeds.ts';

const heartbeatMs = 5_000;
const silentAfter = `interval '60 seconds'`;
/** A node that was not seen for so long stores nothing now. */
const awayAfter = `interval '15 seconds'`;

/** Lane numbers have ten bits in what is made of them. */
const mostLanes = 1_023;

const takeStatement = `
update lanes set node = $1, seen_at = clock_timestamp()
where lane = (
  select lane from lanes where seen_at < clock_timestamp() - ${silentAfter}
  order by lane limit 1 for update skip locked
) returning lane`;

const addStatement = `
insert into lanes (lane, node, seen_at)
select coalesce(max(lane), 0) + 1, $1, clock_timestamp() from lanes having coalesce(max(lane), 0) < ${mostLanes}
on conflict (lane) do nothing returning lane`;

/** Until who got none, or lost it to another, looks again. */
const fullMs = 100;

/** A lane that nobody holds; waits for one while there is none. */
export async function claimLane(db: Database, node: string): Promise<number> {
  const values = [node];
  for (;;) {
    for (const text of [takeStatement, addStatement]) {
      const [claimed] = await query<{ lane: number }>(db, { name: '', text, values }, { lane: 'int4' });
      if (claimed) return claimed.lane;
    }
    await delay(fullMs);
  }
}

const holdStatement = `
update lanes set seen_at = clock_timestamp() where lane = $1 and node = $2`;

/** False when another node has taken it meanwhile. */
export async function holdLane(db: Database, lane: number, node: string): Promise<boolean> {
  return (await execute(db, { name: 'hold-lane', text: holdStatement, values: [lane, node] })) > 0;
}

const leaveStatement = `update lanes set seen_at = '-infinity' where lane = $1 and node = $2`;

/** The next node may take it at once. */
export async function leaveLane(db: Database, lane: number, node: string): Promise<void> {
  await execute(db, { name: 'leave-lane', text: leaveStatement, values: [lane, node] });
}

const countOthersStatement = `
select count(*) as count from lanes where lane <> $1 and seen_at > clock_timestamp() - ${awayAfter}`;

/** How many nodes beside the one in a lane store events. */
export async function countOtherNodes(db: Database, lane: number): Promise<number> {
  const statement = { name: 'count-other-nodes', text: countOthersStatement, values: [lane] };
  const [{ count }] = await query<{ count: number }>(db, statement, { count: 'int8' });
  return count;
}

export type LaneKeeper = {
  /** The node's lane; another one after it was silent for long. */
  readonly lane: number;
  /** Nodes of the same database beside this one, as of some seconds ago. */
  readonly otherNodes: number;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type LaneKeeperOptions = {
  db: Database;
  /** The name of this node, which no other has. */
  node: string;
  /** Hears of the lane and how far each bucket's events in it had come, before anything is stored in it. */
  onTaken(lane: number, ends: number[]): void;
  logger: Pick<Logger, 'warn'>;
};

/** Until it is started the lane is 1. */
export function createLaneKeeper({ db, node, onTaken, logger }: LaneKeeperOptions): LaneKeeper {
  let lane = 1;
  let otherNodes = 0;
  const take = async () => {
    const taken = await claimLane(db, node);
    const ends = (await listFeedEnds(db, 'events', await listBuckets(db))).filter(
      (end) => end.lane === taken,
    );
    onTaken(taken, endsOf(ends, await bucketCountOf(db)));
    lane = taken;
  };
  const keeping = createPeriodic({
    async work() {
      if (!(await holdLane(db, lane, node))) await take();
      otherNodes = await countOtherNodes(db, lane);
    },
    pauseMs: heartbeatMs,
    complaint: 'The lane of this node could not be held; trying again.',
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
