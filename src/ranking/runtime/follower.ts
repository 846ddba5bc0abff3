/** Follows a feed: reads the changes after an offset, applies them and remembers the offset. */

import type { Logger } from 'pino';
import { createPeriodic } from './periodic.ts';

export type Follower = {
  /** Applies all writes of any node before the call; rejects when the feed fails. */
  refresh(): Promise<void>;
  /** Fills the replica and begins to follow; resolves when it is complete. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type FollowerOptions = {
  /** Names the follower in log lines, for example `items`. */
  name: string;
  /** Applies all new changes; several calls may run at the same time. See createFeedReader. */
  catchUp(): Promise<void>;
  /** The first read [catchUp]. */
  fill?(): Promise<void>;
  /** Milliseconds from the end of a read to the next one. */
  intervalMs: number;
  logger: Logger;
};

export function createFollower(options: FollowerOptions): Follower {
  const { name, catchUp, fill = catchUp, intervalMs, logger } = options;
  const periodic = createPeriodic({
    work: catchUp,
    pauseMs: intervalMs,
    complaint: 'Cannot follow the database; serving known data.',
    facts: { follower: name },
    logger,
  });
  return {
    refresh: catchUp,
    async start() {
      await fill();
      periodic.start();
    },
    stop: periodic.stop,
  };
}

export type FeedReaderOptions<Change> = {
  /** Returns the changes after an offset, in order. */
  read(after: number, limit: number): Promise<readonly Change[]>;
  /** Applies a change; must ignore one that it has applied before. */
  apply(change: Change): void;
  /** Changes per read. */
  limit: number;
};

/** Returns a function that reads a numbered feed from the last offset to its end. */
export function createFeedReader<Change extends { number: number }>({
  read,
  apply,
  limit,
}: FeedReaderOptions<Change>): () => Promise<void> {
  let offset = 0;
  return async () => {
    for (let count = limit; count === limit; ) {
      const changes = await read(offset, limit);
      for (const change of changes) apply(change);
      /** A call that runs at the same time may have read further. */
      offset = Math.max(offset, changes.at(-1)?.number ?? 0);
      count = changes.length;
    }
  };
}
