/**
 * Counts what is searched and what of it finds nothing, for operators. Counted in memory and written together now and then,
 * never in a search's way; what cannot be written is dropped. Of who searched nothing is kept.
 */

import type { Logger } from 'pino';
import { createPeriodic } from '../../../periodic.ts';
import type { Database } from '../../../repository/database.ts';
import {
  addQueryCounts,
  deleteRareQueries,
  type QueryCount,
} from '../../../repository/search/search-queries.ts';
import { fingerprintOf } from './query-fingerprint.ts';

const flushIntervalMs = 2_000;
/** Flushes between two deletions of what is too rare to keep. */
const flushesPerTidying = 30;
/** Distinct queries of an environment counted between two flushes; others are left out. */
const mostHeld = 2_000;
const longestQuery = 100;

export type SearchedQuery = {
  typed: string;
  /** As by `foldQuery`. */
  folded: string;
};

export type QueryCounts = {
  record(environment: string, query: SearchedQuery, found: boolean): void;
  /** Writes what is held back, so that a listing sees the latest searches of this node. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export function createQueryCounts({ db, logger }: { db: Database; logger: Logger }): QueryCounts {
  let held = new Map<string, Map<string, QueryCount>>();
  let flushes = 0;

  const write = async () => {
    const batch = held;
    if (batch.size === 0) return;
    held = new Map();
    flushes += 1;
    await addQueryCounts(
      db,
      [...batch.values()].flatMap((counts) => [...counts.values()]),
    );
    if (flushes % flushesPerTidying === 0)
      for (const environment of batch.keys()) await deleteRareQueries(db, environment);
  };
  const writing = createPeriodic({
    work: write,
    pauseMs: flushIntervalMs,
    runsAtStop: true,
    complaint: 'Counts of search queries were lost.',
    logger,
  });

  return {
    record(environment, { typed, folded: query }, found) {
      const counts = held.get(environment) ?? new Map<string, QueryCount>();
      const count = counts.get(query);
      if (count) {
        count.searches += 1;
        count.withoutResults += Number(!found);
      } else if (counts.size < mostHeld && isCounted(typed, query)) {
        held.set(environment, counts);
        const fingerprint = fingerprintOf(query);
        counts.set(query, { environment, query, fingerprint, searches: 1, withoutResults: Number(!found) });
      }
    },
    flush: writing.run,
    start: writing.start,
    stop: writing.stop,
  };
}

function isCounted(typed: string, folded: string): boolean {
  return folded !== '' && folded.length <= longestQuery && !isPersonal(typed);
}

/** An e-mail address, or a telephone number as people write one; codes of goods are neither. */
export function isPersonal(query: string): boolean {
  return /\S@\S+\.\S/.test(query) || /(?:\+|\b00)\d[\d\s()./-]{6,}\d/.test(query);
}
