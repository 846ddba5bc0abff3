/** Nodes for tests that store, aggregate, poll other nodes, and read histories. */

import { createHistoryReader, type Reader } from '../../src/events/histories/history-reader.ts';
import { createProgressFollower } from '../../src/events/progress-follower.ts';
import { createRecordedSubjects } from '../../src/events/recorded-subjects.ts';
import type { Forgetting } from '../../src/ranking/runtime/forgetting.ts';
import { bucketCountOf } from '../../src/repository/buckets.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { aggregateRange } from '../../src/repository/events/aggregate-events.ts';
import { createSubjectFilter } from '../../src/repository/events/subject-filter.ts';
import { defaultAttributionWindow } from '../../src/repository/metrics/metric-batch.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { silentLogger, type TestDatabase } from './database.ts';
import { commitEvents, consuming, createTestNode } from './events.ts';
import { poolOf } from './pool-of.ts';

export type Who = Pick<Reader, 'deviceId' | 'userId'>;

export const view = (itemId: string, who: Who, environment = 'shop'): EventRow => ({
  environment,
  eventType: 'detail_view',
  occurredAtMs: Date.now(),
  itemType: 'product',
  itemId,
  robot: false,
  details: {},
  ...who,
});

export type ReadingNodeOptions = {
  longestBlindMs?: number;
  /** Whether histories of unrecorded subjects are not read. */
  knowsPeople?: boolean;
  leastRestMs?: number;
};

export type ReadingNode = Awaited<ReturnType<typeof createReadingNode>>;

/**
 * Creates a node that stores, aggregates, polls other nodes, and reads; it counts its reads of
 * histories. It polls only when the test calls it, without a time limit.
 */
export async function createReadingNode(db: TestDatabase, lane: number, options: ReadingNodeOptions = {}) {
  const { longestBlindMs = Number.POSITIVE_INFINITY, knowsPeople = false, leastRestMs } = options;
  let askedCount = 0;
  const query = (statement: { name: string }) => {
    if (statement.name === 'find-histories') askedCount += 1;
    return db.pool.query(statement as never);
  };
  const counting = { ...db, pool: poolOf(query) };
  const filter = createSubjectFilter();
  const node = await createTestNode(db, { lane, recorded: filter });
  let whileLooking = async (): Promise<unknown> => undefined;
  /** Runs the action during a poll, after the progress of the lanes was read. */
  const lookedAt = {
    ...db,
    pool: poolOf(async (statement) => {
      const answer = await db.pool.query(statement as never);
      if ((statement as { name: string }).name === 'list-reached') await whileLooking();
      return answer as never;
    }),
  };
  const looking = { db: lookedAt, lane: () => lane, longestBlindMs, logger: silentLogger };
  const others = createProgressFollower({ ...node, ...looking });
  const people = createRecordedSubjects({
    ...node,
    db,
    filter,
    progressFollower: others,
    longestBlindMs,
    leastRestMs,
  });
  const lookBeside = async (work: () => Promise<unknown>) => {
    whileLooking = work;
    await others.look();
    whileLooking = async () => undefined;
  };
  const forgetting: Forgetting = new Set();
  const read = createHistoryReader({
    db: counting,
    pending: node.pending,
    unchangedByOthersSince: others.unchangedSince,
    lacksHistory: knowsPeople ? people.lacks : undefined,
    logger: createLogger('silent'),
    forgetting,
  });
  const itemsOf = async (who: Who, environment = 'shop', doNotStore = false) => {
    const reader = { environment, ...who, doNotStore, deadlineMs: performance.now() + 60_000 };
    const found = await read(reader, false);
    return found!.entries.map(({ itemId }) => itemId);
  };
  const { look } = others;
  const { lacks } = people;
  return { ...node, look, lookBeside, lacks, forgetting, itemsOf, askedCount: () => askedCount };
}

/** Commits events and loses the response. */
export async function loseAnswer(db: TestDatabase, events: EventRow[]): Promise<void> {
  const deaf = {
    ...db,
    pool: poolOf(async (statement) => {
      const answer = await db.pool.query(statement as never);
      if ((statement as { name: string }).name !== 'store-events') return answer as never;
      throw Object.assign(new Error('The connection is lost.'), { code: 'ECONNRESET' });
    }),
  };
  await commitEvents(deaf, events, { lane: 1 });
}

/** The node's pending events. */
export async function aggregateOwn(db: TestDatabase, { pending }: ReadingNode) {
  const bucketCount = await bucketCountOf(db);
  const tools = { db, bucketCount, attributionWindow: defaultAttributionWindow, consuming };
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    for (const range of pending.take(bucket)) {
      await aggregateRange(tools, range);
      pending.remove(range);
    }
  }
}
