/**
 * Follows a table of the database into this process, by polling: nothing to lose, nothing to reconnect.
 *
 * A poll that fails is repeated at the next turn; meanwhile the replica serves what it has.
 */

import type { Logger } from 'pino';

export type TableFollowerOptions = {
  name: string;
  /** Reads what changed since the poll before and applies it. */
  poll: () => Promise<void>;
  /** Pause between two polls; a change is seen after at most this and the time of one read. */
  intervalMs: number;
  logger: Logger;
};

export type TableFollower = {
  start(): void;
  /** Resolves when no poll is running any more. */
  stop(): Promise<void>;
};

export function createTableFollower({ name, poll, intervalMs, logger }: TableFollowerOptions): TableFollower {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = true;
  let failing = false;

  const turn = async () => {
    try {
      await poll();
      if (failing) logger.info({ follower: name }, 'Following the database again.');
      failing = false;
    } catch (error) {
      if (!failing)
        logger.warn({ follower: name, err: error }, 'Cannot follow the database; serving what is known.');
      failing = true;
    }
    if (!stopped) schedule();
  };
  const schedule = () => {
    timer = setTimeout(() => {
      running = turn();
    }, intervalMs);
  };

  return {
    start() {
      stopped = false;
      schedule();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
