/**
 * Counts what is searched and what of it finds nothing, for operators. Counted in memory and written together now and then,
 * never in a search's way; what cannot be written is dropped. Of who searched a mark of four bytes is kept, and only where popular
 * queries complete others.
 */

import type { Logger } from 'pino';
import { createPeriodic } from '../../../periodic.ts';
import type { Database } from '../../../repository/database.ts';
import type { HoldingPeople } from '../../../repository/forgetting.ts';
import {
  addQueryCounts,
  deleteRareQueries,
  mostAskers,
  type QueryCount,
} from '../../../repository/search/search-queries.ts';
import { visitorMark } from '../../../repository/search/visitor-mark.ts';
import { fingerprintOf } from './query-fingerprint.ts';

const flushIntervalMs = 1_000;
/** Flushes between two deletions of what is too rare to keep. */
const flushesPerTidying = 60;
/** Distinct queries of an environment counted between two flushes; others are left out. */
const mostHeld = 2_000;
const longestQuery = 100;

export type SearchedQuery = {
  typed: string;
  /** As by `foldQuery`. */
  folded: string;
};

export type QueryCounts = {
  /** @param asker `u` or `d` and the id, where it is to be known how many people ask */
  record(environment: string, query: SearchedQuery, found: boolean, asker?: string): void;
  /** Writes what is held back, so that a listing sees the latest searches of this node. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

type HeldCount = Omit<QueryCount, 'askers'> & { askers: Set<string> };

export type QueryCountsOptions = Partial<HoldingPeople> & { db: Database; logger: Logger };

export function createQueryCounts(options: QueryCountsOptions): QueryCounts {
  const { db, logger, forgetting, forgetDeleted } = options;
  let held = new Map<string, Map<string, HeldCount>>();
  let flushes = 0;
  forgetting?.add((isGone) => {
    for (const [environment, counts] of held)
      for (const { askers } of counts.values())
        for (const asker of askers)
          if (isGone(environment, `${asker[0]}:${asker.slice(1)}`)) askers.delete(asker);
  });

  const write = async () => {
    if (held.size === 0) return;
    await forgetDeleted?.();
    const batch = held;
    held = new Map();
    flushes += 1;
    await addQueryCounts(
      db,
      [...batch.values()].flatMap((counts) => Array.from(counts.values(), countOf)),
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
    record(environment, { typed, folded: query }, found, asker) {
      const counts = held.get(environment) ?? new Map<string, HeldCount>();
      const count = counts.get(query);
      if (count) {
        if (asker !== undefined && count.askers.size < mostAskers) count.askers.add(asker);
        count.searches += 1;
        count.withoutResults += Number(!found);
      } else if (counts.size < mostHeld && isCounted(typed, query)) {
        held.set(environment, counts);
        const fingerprint = fingerprintOf(query);
        const askers = new Set(asker === undefined ? [] : [asker]);
        const withoutResults = Number(!found);
        counts.set(query, { environment, query, fingerprint, searches: 1, withoutResults, askers });
      }
    },
    flush: writing.run,
    start: writing.start,
    stop: writing.stop,
  };
}

function countOf({ askers, ...count }: HeldCount): QueryCount {
  return { ...count, askers: Buffer.concat(Array.from(askers, visitorMark)) };
}

function isCounted(typed: string, folded: string): boolean {
  return folded !== '' && folded.length <= longestQuery && !isPersonal(typed);
}

/** An e-mail address, or a telephone number as people write one; codes of goods are neither. */
export function isPersonal(query: string): boolean {
  return /\S@\S+\.\S/.test(query) || /(?:\+|\b00)\d[\d\s()./-]{6,}\d/.test(query);
}
