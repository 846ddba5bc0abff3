/** Popular queries by their prefix, read from the database every few seconds. */
import type { Logger } from 'pino';
import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import type { Follower } from '../../../ranking/runtime/follower.ts';
import { partitionPoint } from '../../../ranking/runtime/partition-point.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import { createBlocklist } from '../../../ranking/search/suggestions/suggestible.ts';
import type { Database } from '../../../repository/database.ts';
import { listBlockedPhrases } from '../../../repository/search/blocked-queries.ts';
import { listPopularQueries } from '../../../repository/search/search-queries.ts';

const intervalMs = 5_000;
const mostPopular = 5_000;

export type PopularQueries = Follower & {
  /** Returns folded queries, most popular first. */
  startingWith(environment: string, prefix: string, limit: number): string[];
};

export type PopularQueriesOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  logger: Logger;
};

/** In alphabetical order; a lower rank is more popular. */
type RankedQueries = { query: string; rank: number }[];

export function createPopularQueries({ db, environments, logger }: PopularQueriesOptions): PopularQueries {
  const sorted = new Map<string, RankedQueries>();
  const limited = [...environments.values()].flatMap(({ settings: { name, queryCompletions } }) =>
    queryCompletions && queryCompletions.popular > 0 ? [{ name, ...queryCompletions }] : [],
  );
  const read = async () => {
    const phrases = await listBlockedPhrases(db);
    for (const { name, leastPeople } of limited) {
      const isBlocked = createBlocklist(phrases.get(name) ?? []);
      const queries = await listPopularQueries(db, name, { leastPeople, limit: mostPopular });
      const ranked = queries.map((query, rank) => ({ query, rank })).filter(({ query }) => !isBlocked(query));
      sorted.set(
        name,
        ranked.sort((a, b) => (a.query < b.query ? -1 : 1)),
      );
    }
  };
  const reading = createPeriodic({
    work: read,
    pauseMs: intervalMs,
    complaint: 'Popular queries cannot be read; completions use the known ones.',
    logger,
  });

  return {
    startingWith(environment, prefix, limit) {
      const all = sorted.get(environment) ?? [];
      const best: RankedQueries = [];
      for (
        let at = partitionPoint(0, all.length, (at) => all[at].query < prefix);
        at < all.length && all[at].query.startsWith(prefix);
        at++
      ) {
        const one = all[at];
        if (one.query === prefix || (best.length === limit && one.rank > best[limit - 1].rank)) continue;
        if (best.length === limit) best.pop();
        const place = best.findIndex(({ rank }) => rank > one.rank);
        best.splice(place < 0 ? best.length : place, 0, one);
      }
      return best.map(({ query }) => query);
    },
    async refresh() {
      if (limited.length > 0) await reading.run();
    },
    async start() {
      if (limited.length === 0) return;
      await read();
      reading.start();
    },
    stop: reading.stop,
  };
}
