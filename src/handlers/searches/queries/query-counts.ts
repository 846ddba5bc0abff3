/**
 * Counts searches, and searches without results, for operators. Counts are buffered and written
 * every second; counts that cannot be written are dropped. Pseudonyms of visitors are stored only
 * where queries complete others.
 */
import type { Logger } from 'pino';
import type { HoldingPeople } from '../../../ranking/runtime/forgetting.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import { fingerprintOf } from '../../../ranking/search/serving/query-fingerprint.ts';
import { isPersonal } from '../../../ranking/search/suggestions/contact-text.ts';
import type { SearchedQuery } from '../../../ranking/search/suggestions/suggestible.ts';
import type { Database } from '../../../repository/database.ts';
import { addDays, type DaySums } from '../../../repository/metrics/metric-days.ts';
import { keySetting } from '../../../repository/people/marks.ts';
import {
  addQueryCounts,
  deleteRareQueries,
  mostWitnesses,
  type QueryCount,
} from '../../../repository/search/search-queries.ts';
import { type Witness, witnessMark } from '../../../repository/search/visitor-mark.ts';
import { findSetting } from '../../../repository/settings.ts';
import { storable } from '../../../repository/storable.ts';

const flushIntervalMs = 1_000;
/** Flushes between two deletions of rare queries. */
const flushesPerTidying = 60;
/** Distinct queries of an environment counted between two flushes; further ones are dropped. */
const mostPending = 2_000;
const longestQuery = 100;

export type QueryCounts = {
  /** @param witness the visitor, if it counts towards the query's popularity */
  record(environment: string, query: SearchedQuery, search: CountedSearch, witness?: Witness): void;
  /** Writes the buffer, so that a listing includes the latest searches of this node. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

/** `day` counts from 1970 in the environment's time zone. */
export type CountedSearch = { day: number; isFound: boolean; isCorrected: boolean };

type PendingCount = Omit<QueryCount, 'witnesses'> & {
  /** Day of the first search; those after midnight that are written with it count for the same day. */
  day: number;
  corrected: number;
  /** Networks by visitor, each network once. */
  witnesses: Map<string, string | undefined>;
};

export type QueryCountsOptions = Partial<HoldingPeople> & { db: Database; logger: Logger };

export function createQueryCounts(options: QueryCountsOptions): QueryCounts {
  const { db, logger, forgetting, forgetDeleted } = options;
  let pending = new Map<string, Map<string, PendingCount>>();
  let flushes = 0;
  let key: string | undefined;
  forgetting?.add((isGone) => {
    for (const [environment, counts] of pending)
      for (const { witnesses } of counts.values())
        for (const visitor of witnesses.keys())
          if (isGone(environment, `${visitor[0]}:${visitor.slice(1)}`)) witnesses.delete(visitor);
  });

  const write = async () => {
    if (pending.size === 0) return;
    await forgetDeleted?.();
    const batch = pending;
    pending = new Map();
    flushes += 1;
    key ??= (await findSetting(db, keySetting)) as string;
    const counts = [...batch.values()].flatMap((ofEnvironment) => [...ofEnvironment.values()]);
    await addQueryCounts(
      db,
      counts.map((count) => countOf(count, key!)),
    );
    for (const [environment, ofEnvironment] of batch)
      await addDays(db, environment, Array.from(ofEnvironment.values(), daySumsOf));
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
    record(environment, { typed: text, folded: query }, { day, isFound, isCorrected }, witness) {
      const counts = pending.get(environment) ?? new Map<string, PendingCount>();
      const count = counts.get(query);
      if (count) {
        if (witness) addWitness(count, witness);
        count.searches += 1;
        count.withoutResults += Number(!isFound);
        count.corrected += Number(isCorrected);
      } else if (counts.size < mostPending && isCounted(text, query)) {
        pending.set(environment, counts);
        const fingerprint = fingerprintOf(query);
        const witnesses = new Map(witness && [[witness.visitor, witness.network]]);
        const sums = { searches: 1, withoutResults: Number(!isFound), corrected: Number(isCorrected), day };
        const typed = storable(text.trim()).slice(0, longestQuery).toWellFormed();
        counts.set(query, { environment, query, typed, fingerprint, ...sums, witnesses });
      }
    },
    flush: writing.run,
    start: writing.start,
    stop: writing.stop,
  };
}

/** A network counts once, so that one peer with many devices is one witness. */
function addWitness({ witnesses }: PendingCount, { visitor, network }: Witness): void {
  if (witnesses.size >= mostWitnesses || witnesses.has(visitor)) return;
  if (network === undefined || ![...witnesses.values()].includes(network)) witnesses.set(visitor, network);
}

function daySumsOf({ day, fingerprint, searches, withoutResults, corrected }: PendingCount): DaySums {
  const key = { dimension: 'query', day, item_type: '', value: String(fingerprint) } as const;
  return { ...key, searches, searches_without_results: withoutResults, corrected_searches: corrected };
}

function countOf({ witnesses, ...count }: PendingCount, key: string): QueryCount {
  const marks = Array.from(witnesses, ([visitor, network]) =>
    witnessMark({ visitor, network }, { key, ...count }),
  );
  return { ...count, witnesses: Buffer.concat(marks) };
}

function isCounted(typed: string, folded: string): boolean {
  return folded !== '' && folded.length <= longestQuery && !isPersonal(typed);
}
