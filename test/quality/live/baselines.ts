/**
 * Lists of a simple site from the same events at the same time: newest items, most viewed of 1 h,
 * 12 h and 7 days, neighbours of the whole history, shares of categories times recent views, items
 * viewed with the last item or in the current visit, and the subject's own favourites.
 */

import type { LoggedEvent, LoggedItem } from './log.ts';

/** Scores by item id; higher is better. */
export type Ranking = ReadonlyMap<string, number>;

export type Baselines = {
  add(event: LoggedEvent): void;
  /** Rankings by name for a subject at a moment (Unix seconds). */
  rank(subject: string, at: number): Map<string, Ranking>;
};

const hour = 3_600;
const visitGap = 30 * 60;

/** Views of the last `seconds`. */
function createWindow(seconds: number) {
  const events: { at: number; itemId: string }[] = [];
  let start = 0;
  const counts = new Map<string, number>();
  return {
    counts,
    add(at: number, itemId: string) {
      events.push({ at, itemId });
      counts.set(itemId, (counts.get(itemId) ?? 0) + 1);
    },
    moveTo(at: number) {
      for (; start < events.length && events[start].at < at - seconds; start++) {
        const { itemId } = events[start];
        const left = counts.get(itemId)! - 1;
        if (left === 0) counts.delete(itemId);
        else counts.set(itemId, left);
      }
    },
  };
}

type Visits = {
  history: Map<string, number>;
  categories: Map<string, number>;
  visit: Set<string>;
  lastAt: number;
  lastItem: string | undefined;
};

const noVisits = { lastAt: 0, lastItem: undefined };

/** Items viewed in the same visit. */
function createCoVisits() {
  const together = new Map<string, Map<string, number>>();
  const occurrences = new Map<string, number>();
  const countPair = (one: string, other: string) => {
    const row = together.get(one) ?? new Map<string, number>();
    together.set(one, row);
    row.set(other, (row.get(other) ?? 0) + 1);
  };
  const neighbours = (seeds: Iterable<string>): Ranking => {
    const scores = new Map<string, number>();
    for (const seed of seeds)
      for (const [itemId, count] of together.get(seed) ?? []) {
        const norm = Math.sqrt(occurrences.get(seed)! * occurrences.get(itemId)!);
        scores.set(itemId, (scores.get(itemId) ?? 0) + count / norm);
      }
    return scores;
  };
  return { occurrences, countPair, neighbours };
}

export function createBaselines(items: readonly LoggedItem[]): Baselines {
  const categoryOf = new Map(items.map(({ itemId, categories: [first = ''] }) => [itemId, top(first)]));
  const windows = {
    '1 h': createWindow(hour),
    '12 h': createWindow(12 * hour),
    '7 d': createWindow(168 * hour),
  };
  const byPublication = items
    .filter(({ publishedAt }) => publishedAt > 0)
    .sort((a, b) => a.publishedAt - b.publishedAt);
  const { occurrences, countPair, neighbours } = createCoVisits();
  const subjects = new Map<string, Visits>();

  const visitsOf = (subject: string): Visits => {
    const known = subjects.get(subject);
    if (known) return known;
    const none = { ...noVisits, history: new Map(), categories: new Map(), visit: new Set<string>() };
    subjects.set(subject, none);
    return none;
  };
  const byCategory = (counts: Ranking, { categories }: Visits): Ranking => {
    const total = sum(categories.values());
    const least = 0.3 / (total + 2);
    return new Map(
      Array.from(counts, ([itemId, count]) => {
        const share = (categories.get(categoryOf.get(itemId) ?? '') ?? 0) / (total + 2);
        return [itemId, count * (share + least)];
      }),
    );
  };
  return {
    add({ at, subject, itemId }) {
      for (const window of Object.values(windows)) window.add(at, itemId);
      const own = visitsOf(subject);
      if (at - own.lastAt > visitGap) own.visit.clear();
      if (!own.visit.has(itemId)) {
        occurrences.set(itemId, (occurrences.get(itemId) ?? 0) + 1);
        for (const other of own.visit) {
          countPair(other, itemId);
          countPair(itemId, other);
        }
        own.visit.add(itemId);
      }
      own.history.set(itemId, (own.history.get(itemId) ?? 0) + 1);
      const category = categoryOf.get(itemId) ?? '';
      own.categories.set(category, (own.categories.get(category) ?? 0) + 1);
      own.lastAt = at;
      own.lastItem = itemId;
    },
    rank(subject, at) {
      const own = visitsOf(subject);
      for (const window of Object.values(windows)) window.moveTo(at);
      const rankings = new Map<string, Ranking>();
      for (const [name, { counts }] of Object.entries(windows)) {
        rankings.set(`most viewed ${name}`, counts);
        if (name !== '1 h') rankings.set(`categories × ${name}`, byCategory(counts, own));
      }
      rankings.set('newest', newestOf(byPublication, at));
      rankings.set('item-kNN', neighbours(own.history.keys()));
      rankings.set('co-visits of last', neighbours(own.lastItem === undefined ? [] : [own.lastItem]));
      rankings.set('co-visits of visit', neighbours(own.visit));
      rankings.set('own favourites', own.history);
      return rankings;
    },
  };
}

const mostNewest = 200;

function newestOf(byPublication: readonly LoggedItem[], at: number): Ranking {
  const published = byPublication.findLastIndex(({ publishedAt }) => publishedAt <= at) + 1;
  const newest = byPublication.slice(Math.max(0, published - mostNewest), published);
  return new Map(newest.map(({ itemId, publishedAt }) => [itemId, publishedAt]));
}

/** `Electronics/Cameras/DSLR` is about `Electronics/Cameras`. */
function top(category: string): string {
  return category.split('/').slice(0, 2).join('/');
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
