/**
 * Worth of an item for a query by its clicks, -1 to 1:
 *
 *   worth = (clicks - expected) / (clicks + expected + 4)      expected = views · the query's clicks per view
 *
 * Items that are clicked more than the query's average rise, items that are seen and not clicked
 * sink, and items with little data stay: four unexpected clicks are worth a half. Clicks of fewer
 * than three visitors raise nothing.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { ItemWorth } from '../search.ts';

/** Items with fewer visitors are not considered. */
export const leastVisitors = 3;

const doubt = 4;

/** Worths are computed again after this time, for new items and fading counts. */
const freshMs = 60_000;

/** Clicks and views of an item for a query, as of `countedAtMs`. */
export type ClickCounts = {
  environment: string;
  fingerprint: number;
  itemType: string;
  itemId: string;
  clicks: number;
  views: number;
  countedAtMs: number;
  clickerCount: number;
};

export type ClickWorths = ReturnType<typeof createClickWorths>;

type QueryClicks = {
  rows: Map<string, ClickCounts>;
  computed?: { atMs: number; worth: ItemWorth };
};

export function createClickWorths(catalogOf: (environment: string) => Catalog | undefined) {
  const queriesByEnvironment = new Map<string, Map<number, QueryClicks>>();

  return {
    apply(row: ClickCounts): void {
      const queries = queriesByEnvironment.get(row.environment) ?? new Map<number, QueryClicks>();
      queriesByEnvironment.set(row.environment, queries);
      const query = queries.get(row.fingerprint) ?? { rows: new Map<string, ClickCounts>() };
      query.rows.set(JSON.stringify([row.itemType, row.itemId]), row);
      query.computed = undefined;
      queries.set(row.fingerprint, query);
    },
    /** Returns undefined when nothing is known of the query. */
    worthOf(environment: string, fingerprint: number, nowMs: number): ItemWorth | undefined {
      const query = queriesByEnvironment.get(environment)?.get(fingerprint);
      const catalog = catalogOf(environment);
      if (!query || !catalog) return undefined;
      if (query.computed && nowMs - query.computed.atMs < freshMs) return query.computed.worth;
      const worths = worthsOf([...query.rows.values()], catalog, nowMs);
      const worth: ItemWorth = (itemIndex) => worths.get(itemIndex) ?? 0;
      query.computed = { atMs: nowMs, worth };
      return worth;
    },
  };
}

function worthsOf(rows: readonly ClickCounts[], catalog: Catalog, nowMs: number): Map<number, number> {
  const present = rows.map((row) => ({
    ...row,
    clicks: faded(row.clicks, nowMs - row.countedAtMs),
    views: faded(row.views, nowMs - row.countedAtMs),
  }));
  const sum = (pick: (row: ClickCounts) => number) => present.reduce((total, row) => total + pick(row), 0);
  const clicksPerView =
    sum(({ clicks }) => clicks) /
    Math.max(
      sum(({ views }) => views),
      sum(({ clicks }) => clicks),
    );
  const worths = new Map<number, number>();
  for (const { itemType, itemId, clicks, views, clickerCount } of present) {
    const itemIndex = catalog.indexOf(itemType, itemId);
    if (itemIndex === undefined) continue;
    const expected = views * (clicksPerView || 0);
    const counted = clickerCount < leastVisitors ? Math.min(clicks, expected) : clicks;
    worths.set(itemIndex, (counted - expected) / (counted + expected + doubt));
  }
  return worths;
}

export const halfLifeMs = 30 * 86_400_000;

/** Returns what is left of a count after `ageMs`; a negative age changes nothing. */
export function faded(count: number, ageMs: number): number {
  return ageMs > 0 ? count * 2 ** (-ageMs / halfLifeMs) : count;
}
