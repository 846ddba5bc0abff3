/**
 * Has this node forget whoever was deleted, by any node: what it remembers to answer fast names them too, and so does what it
 * holds to write it later. A node may stand still, or wait for its database, for as long as a deletion takes; so whoever holds
 * something looks before it writes.
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
  /** Forgets now whoever was deleted before the call; rejects when the database does not tell. */
  follow(): Promise<void>;
  stop(): Promise<void>;
};

export type DeletionFollowerOptions = {
  db: Database;
  forgetting: Forgetting;
  logger: Pick<Logger, 'warn'>;
};

export function createDeletionFollower(options: DeletionFollowerOptions): DeletionFollower {
  const { db, forgetting, logger } = options;
  let last = 0;
  const follow = async (): Promise<void> => {
    for (;;) {
      const deletions = await listDeletionsAfter(db, last);
      if (deletions.length === 0) return;
      const { among } = await createMarker(db);
      const isGone = among(deletions.flatMap(({ subjects }) => subjects));
      for (const forget of forgetting) forget(isGone);
      /** Several may look at once. */
      last = Math.max(last, deletions.at(-1)!.number);
    }
  };
  const follower = createPeriodic({
    work: follow,
    pauseMs: followIntervalMs,
    complaint: 'Deletions of people could not be followed; trying again.',
    logger,
  });
  return {
    /** A node that starts remembers nobody. */
    async start() {
      last = await findLastDeletion(db);
      follower.start();
    },
    follow,
    stop: follower.stop,
  };
}
