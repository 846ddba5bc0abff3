/**
 * Makes this node forget subjects that any node deleted: caches and buffers name them, too. A node
 * may be paused, or wait for its database, for as long as a deletion takes; so buffers follow the
 * deletions before each write.
 */

import type { Logger } from 'pino';
import type { Forgetting } from '../../ranking/runtime/forgetting.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import type { Database } from '../../repository/database.ts';
import { findLastDeletion, listDeletionsAfter } from '../../repository/people/deletions.ts';
import { createMarker } from '../../repository/people/marks.ts';

const followIntervalMs = 1_000;

export type DeletionFollower = {
  start(): Promise<void>;
  /** Forgets subjects that were deleted before the call; rejects when the database is away. */
  follow(): Promise<void>;
  stop(): Promise<void>;
};

export type DeletionFollowerOptions = {
  db: Database;
  forgetting: Forgetting;
  logger: Pick<Logger, 'warn'>;
};

export function createDeletionFollower({
  db,
  forgetting,
  logger,
}: DeletionFollowerOptions): DeletionFollower {
  let offset = 0;
  const follow = async (): Promise<void> => {
    for (;;) {
      const deletions = await listDeletionsAfter(db, offset);
      if (deletions.length === 0) return;
      const { among } = await createMarker(db);
      const isGone = among(deletions.flatMap(({ subjects }) => subjects));
      for (const forget of forgetting) forget(isGone);
      /** Several calls may run at once. */
      offset = Math.max(offset, deletions.at(-1)!.number);
    }
  };
  const follower = createPeriodic({
    work: follow,
    pauseMs: followIntervalMs,
    complaint: 'Deletions of personal data could not be followed; trying again.',
    logger,
  });
  return {
    /** A node that starts remembers no subject. */
    async start() {
      offset = await findLastDeletion(db);
      follower.start();
    },
    follow,
    stop: follower.stop,
  };
}
