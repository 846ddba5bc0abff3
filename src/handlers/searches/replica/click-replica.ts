/** Aggregates search events into counts, one node at a time, and follows them on every node. */

import type { Logger } from 'pino';
import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import { nextTurn } from '../../../ranking/runtime/slices.ts';
import type { ItemWorth } from '../../../ranking/search/search.ts';
import {
  type ClickWorths,
  createClickWorths,
  leastVisitors,
} from '../../../ranking/search/serving/click-worths.ts';
import { fingerprintOf, foldQuery } from '../../../ranking/search/serving/query-fingerprint.ts';
import type { Database } from '../../../repository/database.ts';
import {
  deleteOldClicks,
  foldSearchEvents,
  listClickedQueries,
  listClicksAfter,
} from '../../../repository/search/search-clicks.ts';
import { createClickFolding } from './click-counts.ts';

const usualIntervalMs = 1_500;
/** Polls between two readings of successful words, and between two deletions of old counts. */
const pollsPerUsage = 20;
const usualPollsPerTidying = 2_400;
/** Queries, over all environments, that make words count as successful. */
const mostClickedQueries = 5_000;
const rowsPerPage = 1_000;

export type SearchFeedback = {
  /** Returns the worth of items for a query by their clicks, -1 to 1; undefined when nothing is known. */
  worthOf(environment: string, query: string, nowMs: number): ItemWorth | undefined;
  /** Reads all counts and begins to follow. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type SearchFeedbackOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  intervalMs?: number;
  pollsPerTidying?: number;
  logger: Logger;
};

/** Counts that were read, and the number of the last one. */
type FollowedClicks = { worths: ClickWorths; lastNumber: number };

export function createSearchFeedback(options: SearchFeedbackOptions): SearchFeedback {
  const { db, environments, logger } = options;
  const { intervalMs = usualIntervalMs, pollsPerTidying = usualPollsPerTidying } = options;
  const folding = createClickFolding();
  const nothing = (): FollowedClicks => ({
    worths: createClickWorths((name) => environments.get(name)?.catalog),
    lastNumber: 0,
  });
  const names = [...environments.keys()];
  let isStopping = false;
  let followed = nothing();
  let polls = 0;

  const fold = async () => {
    for (const name of names)
      while (!isStopping && (await foldSearchEvents(db, name, folding))) await nextTurn();
  };
  /** Deleted counts have no number to follow, so all remaining ones are read again. */
  const tidy = async () => {
    for (const name of names) await deleteOldClicks(db, name);
    const left = nothing();
    await follow(db, left);
    followed = left;
  };
  const readUsage = async () => {
    const usages = new Map(names.map((name) => [name, new Map<string, number>()]));
    for (const { environment, query, clicks } of await listClickedQueries(
      db,
      leastVisitors,
      mostClickedQueries,
    )) {
      const usage = usages.get(environment);
      for (const word of query.split(' ')) usage?.set(word, (usage.get(word) ?? 0) + clicks);
    }
    for (const [name, usage] of usages) environments.get(name)!.wordUsage = usage;
  };
  const poll = async () => {
    await fold();
    const isNews = await follow(db, followed);
    if (isNews || polls % pollsPerUsage === 0) await readUsage();
    if (polls % pollsPerTidying === pollsPerTidying - 1) await tidy();
    polls += 1;
  };
  const follower = createPeriodic({
    work: poll,
    pauseMs: intervalMs,
    complaint: 'Cannot follow the database; serving known data.',
    facts: { follower: 'search clicks' },
    logger,
  });

  return {
    worthOf: (environment, query, nowMs) =>
      followed.worths.worthOf(environment, fingerprintOf(foldQuery(query)), nowMs),
    async start() {
      await follow(db, followed);
      follower.start();
    },
    stop() {
      isStopping = true;
      return follower.stop();
    },
  };
}

/** Reads new counts; returns whether there were any. */
async function follow(db: Database, followed: FollowedClicks): Promise<boolean> {
  const start = followed.lastNumber;
  for (let count = rowsPerPage; count === rowsPerPage; ) {
    const page = { sinceNumber: followed.lastNumber, leastVisitors, limit: rowsPerPage };
    const rows = await listClicksAfter(db, page);
    for (const row of rows) followed.worths.apply(row);
    followed.lastNumber = rows.at(-1)?.number ?? followed.lastNumber;
    count = rows.length;
    await nextTurn();
  }
  return followed.lastNumber > start;
}
