/**
 * Trends by category: live counts of events in the last hours and days.
 *
 * A new item starts with the average of its category's young items, fading with age, so that it is
 * shown before its first contact. A subject counts once per item and hour, so that no device makes
 * a trend alone. Contacts are divided by impressions, so that a list does not keep its items only
 * because it shows them:
 *
 *   worth(i) = contacts_i / (1 + impressions_i / m)
 *
 * An item that is hardly shown yet keeps its contacts, and one that is shown much is ranked by its
 * contacts per impression.
 */

import { createRowsBuilder, groupBy, type Rows } from '../arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer } from '../arrays/top-n.ts';
import { createDecayedCounts } from './decayed-counts.ts';
import { createRepetitions } from './repetitions.ts';

/** By the name of the model. */
export const trendHalfLives = { trend_hour: 3_600, trend_day: 12 * 3_600, trend_week: 5 * 86_400 } as const;

type WindowName = keyof typeof trendHalfLives;

const windowNames = Object.keys(trendHalfLives) as WindowName[];

/** The windows, and the newest items whatever their counts. */
export type TrendName = WindowName | 'newest';

export const trendNames: readonly TrendName[] = [...windowNames, 'newest'];

export function isTrendName(name: string): boolean {
  return trendNames.some((one) => one === name);
}

/** Items considered as the newest, of all categories together. */
const newestItems = 2_000;

/** Rank among the newest of a category at which the score is half of the first one's. */
const newestHalfRank = 5;

/** Items per category, and overall, in a snapshot. */
const itemsPerRow = 100;

/** Number of best items with an average score scaled to 1. */
const unitItems = 20;

/** Half-lives for which an item is young. */
const youngHalfLives = 2;

/** Prior weight of all categories, in young items, for a category's average. */
const priorStrength = 5;

/** m: impressions that halve an item's contacts. */
const halvingImpressions = 10;

/** Smaller counts are dropped. */
const leastCount = 0.02;

/** Trends at a time, as plain data that threads can share. */
export type TrendSnapshot = {
  categories: readonly string[];
  /** One row per category, then one for all items. Scores are near 0…1; bursts exceed 1. */
  windows: Record<TrendName, Rows>;
  /** Overall trend, best first: all windows, each weighted by its number of events. */
  overall: { items: Int32Array; scores: Float32Array };
  /**
   * Counts of the newest items overall, three each: impressions with half-lives of a day's and a
   * week's window, and contacts with the latter.
   */
  newestCounts: Float32Array;
};

const nothing = { items: new Int32Array(0), scores: new Float32Array(0) };
const oneEmptyRow: Rows = { ...nothing, offsets: new Int32Array(2) };

/** Before the first event. */
export const emptyTrends: TrendSnapshot = {
  categories: [],
  windows: { trend_hour: oneEmptyRow, trend_day: oneEmptyRow, trend_week: oneEmptyRow, newest: oneEmptyRow },
  overall: nothing,
  newestCounts: new Float32Array(0),
};

/** Facts of items, by the index of the counts. */
export type TrendTraits = {
  readonly itemCount: number;
  /** Returns undefined without a category. */
  categoryOf(index: number): string | undefined;
  /** Unix seconds; NaN when unknown. */
  publishedAt(index: number): number;
  /** Returns whether the item may be shown. */
  isPresent(index: number): boolean;
};

export type Trends = {
  /** Counts an event. `subject` is a hash of the subject's key. */
  add(index: number, atSeconds: number, weight: number, subject: number): void;
  /** Counts an impression. */
  show(index: number, atSeconds: number, subject: number): void;
  snapshot(nowSeconds: number): TrendSnapshot;
  /** Number of counted events and impressions. */
  readonly version: number;
};

export function createTrends(traits: TrendTraits): Trends {
  const counts = windowNames.map((name) => createDecayedCounts(trendHalfLives[name]));
  const [, , week] = counts;
  const impressions = windowNames.map((name) => createDecayedCounts(trendHalfLives[name]));
  const isRepeated = createRepetitions();
  const isShownAgain = createRepetitions();
  const findPublished = createPublished(traits);
  /** Indexes with a count. */
  const active = new Set<number>();
  let version = 0;
  const answersAt = (window: number, nowSeconds: number) => {
    const contactsAt = counts[window].at(nowSeconds);
    const impressionsAt = impressions[window].at(nowSeconds);
    return (index: number) => contactsAt(index) / (1 + impressionsAt(index) / halvingImpressions);
  };

  return {
    get version() {
      return version;
    },
    add(index, atSeconds, weight, subject) {
      if (weight <= 0 || isRepeated(index, atSeconds, subject)) return;
      for (const one of counts) one.add(index, atSeconds, weight);
      active.add(index);
      version += 1;
    },
    show(index, atSeconds, subject) {
      if (isShownAgain(index, atSeconds, subject)) return;
      for (const one of impressions) one.add(index, atSeconds, 1);
      version += 1;
    },
    snapshot(nowSeconds) {
      const weekAt = week.at(nowSeconds);
      for (const index of active) if (weekAt(index) <= leastCount) active.delete(index);
      const published = findPublished(nowSeconds);
      const { items, categories } = placeItems(
        new Set([...active, ...published].filter(traits.isPresent)),
        traits,
        nowSeconds,
      );
      const groups = groupBy(items.row, categories.length);
      const ranked = windowNames.map((name, place) =>
        rankRows(worthsOf(items, answersAt(place, nowSeconds), trendHalfLives[name]), items.index, groups),
      );
      const windows = Object.fromEntries([
        ...ranked.map(({ rows }, place) => [windowNames[place], rows]),
        ['newest', rankNewest(items, groups)],
      ]) as TrendSnapshot['windows'];
      const { offsets, items: newest } = windows.newest;
      const newestOverall = newest.subarray(offsets[categories.length], offsets[categories.length + 1]);
      const counted = [impressions[1], impressions[2], week].map((one) => one.at(nowSeconds));
      return {
        categories,
        windows,
        overall: joinWindows(ranked, categories.length),
        newestCounts: Float32Array.from(
          Array.from(newestOverall).flatMap((item) => counted.map((countOf) => countOf(item))),
        ),
      };
    },
  };
}

/** Returns the items that visitors of the last hour want more than the usual best ones, with their scores. */
export function burstsOf({ windows: { trend_hour: hour }, categories }: TrendSnapshot): Map<number, number> {
  const bursts = new Map<number, number>();
  for (let at = hour.offsets[categories.length]; hour.scores[at] > 1; at++)
    bursts.set(hour.items[at], hour.scores[at]);
  return bursts;
}

/** Returns the bytes of a snapshot, estimated. */
export function snapshotBytes({ categories, windows, overall }: TrendSnapshot): number {
  const entries = Object.values(windows).reduce((sum, { items }) => sum + items.length, 0);
  return 8 * (entries + overall.items.length) + 60 * categories.length;
}

/** Items of a snapshot by place: index, row of the category (-1 without one), age in seconds (NaN when unknown). */
type PlacedItems = { index: Int32Array; row: Int32Array; age: Float64Array };

function placeItems(indexes: ReadonlySet<number>, traits: TrendTraits, nowSeconds: number) {
  const rows = new Map<string, number>();
  const rowOf = (index: number): number => {
    const category = traits.categoryOf(index);
    if (category === undefined) return -1;
    const known = rows.get(category);
    if (known !== undefined) return known;
    rows.set(category, rows.size);
    return rows.size - 1;
  };
  const index = Int32Array.from(indexes);
  const row = index.map(rowOf);
  const age = Float64Array.from(index, (one) => nowSeconds - traits.publishedAt(one));
  return { items: { index, row, age }, categories: [...rows.keys()] };
}

/** Longest time for which an item is young, by the window of days. */
const youngSeconds = youngHalfLives * trendHalfLives.trend_day;

/**
 * Returns a function that finds the young items, and the newest. It skips items older than those
 * found before, unless too few are left: in order of publication, each item would displace another.
 */
function createPublished(traits: TrendTraits): (nowSeconds: number) => number[] {
  const newest = createTopN(newestItems);
  let sinceSeconds = Number.NEGATIVE_INFINITY;
  const collect = (nowSeconds: number): number[] => {
    const young: number[] = [];
    beginTopN(newest);
    for (let index = 0; index < traits.itemCount; index++) {
      const publishedAt = traits.publishedAt(index);
      const age = nowSeconds - publishedAt;
      if (!(age >= 0 && publishedAt >= sinceSeconds)) continue;
      const youth = youthOf(age);
      if (age < youngSeconds) young.push(index);
      else if ((newest.size < newest.limit || youth > newest.scores[0]) && traits.isPresent(index))
        offer(newest, index, youth);
    }
    return young;
  };
  return (nowSeconds) => {
    let young = collect(nowSeconds);
    if (newest.size < newest.limit && sinceSeconds > Number.NEGATIVE_INFINITY) {
      sinceSeconds = Number.NEGATIVE_INFINITY;
      young = collect(nowSeconds);
    }
    if (newest.size === newest.limit) sinceSeconds = traits.publishedAt(newest.items[0]);
    return [...young, ...newest.items.subarray(0, newest.size)];
  };
}

/** Returns a float32 that falls with the age, NaN for an unknown one. */
function youthOf(ageSeconds: number): number {
  return Math.fround(1 / (1 + ageSeconds));
}

/** Scores the newest of each category by their rank, so that the pace of publication is of no importance. */
function rankNewest({ index, age }: PlacedItems, groups: ReturnType<typeof groupBy>): Rows {
  const { rows } = rankRows(Float32Array.from(age, youthOf), index, groups);
  const scores = new Float32Array(rows.scores.length);
  for (let row = 1; row < rows.offsets.length; row++) {
    const start = rows.offsets[row - 1];
    for (let at = start; at < rows.offsets[row]; at++) scores[at] = 1 / (1 + (at - start) / newestHalfRank);
  }
  return { ...rows, scores };
}

/** Returns each item's worth: its count, plus the expectation of a young item. */
function worthsOf(
  { index, row, age }: PlacedItems,
  countAt: (index: number) => number,
  halfLifeSeconds: number,
): Float32Array {
  const longest = Math.min(youngSeconds, youngHalfLives * halfLifeSeconds);
  const isYoung = (place: number) => age[place] >= 0 && age[place] < longest;
  const sums = new Map<number, { sum: number; count: number }>();
  let [sum, count] = [0, 0];
  const worths = new Float32Array(index.length);
  for (let place = 0; place < index.length; place++) {
    worths[place] = countAt(index[place]);
    if (!isYoung(place)) continue;
    const own = sums.get(row[place]) ?? { sum: 0, count: 0 };
    sums.set(row[place], own);
    own.sum += worths[place];
    own.count += 1;
    sum += worths[place];
    count += 1;
  }
  const overall = count === 0 ? 0 : sum / count;
  for (let place = 0; place < index.length; place++) {
    if (!isYoung(place)) continue;
    const own = sums.get(row[place])!;
    const expected = (own.sum + priorStrength * overall) / (own.count + priorStrength);
    worths[place] += expected * 2 ** (-age[place] / halfLifeSeconds);
  }
  return worths;
}

type Ranked = { rows: Rows; unit: number };

function rankRows(
  worths: Float32Array,
  index: Int32Array,
  { offsets, order }: ReturnType<typeof groupBy>,
): Ranked {
  const builder = createRowsBuilder(offsets.length);
  const top = createTopN(itemsPerRow);
  const append = (places: Int32Array): void => {
    beginTopN(top);
    for (const place of places) if (worths[place] > 0) offer(top, index[place], worths[place]);
    finishTopN(top);
    builder.appendRow(top);
  };
  for (let row = 1; row < offsets.length; row++) append(order.subarray(offsets[row - 1], offsets[row]));
  append(index.map((_, place) => place));
  const unit = unitOf(top.scores, top.size);
  const rows = builder.finish();
  return { rows: { ...rows, scores: rows.scores.map((score) => score / unit) }, unit };
}

/** Prior weight of a window, in events of its best items. */
const doubtEvents = 100;

function joinWindows(ranked: readonly Ranked[], all: number): TrendSnapshot['overall'] {
  const sums = new Map<number, number>();
  for (const { rows, unit } of ranked) {
    const events = unit * unitItems;
    const evidence = events / (events + doubtEvents);
    for (let at = rows.offsets[all]; at < rows.offsets[all + 1]; at++)
      sums.set(rows.items[at], (sums.get(rows.items[at]) ?? 0) + evidence * rows.scores[at]);
  }
  const order = [...sums].sort(([a, x], [b, y]) => y - x || a - b);
  return {
    items: Int32Array.from(order, ([item]) => item),
    scores: Float32Array.from(order, ([, score]) => score),
  };
}

/** Averages the best scores, so that one burst does not lower all others. */
function unitOf(scores: Float32Array, size: number): number {
  const count = Math.min(unitItems, size);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sum += scores[rank];
  return count === 0 ? 1 : sum / count;
}

/** Returns the first two levels of a category path, the granularity of interests. */
export function interestCategory(path: string): string {
  return path.split('/', 2).join('/');
}

/** Returns a lookup of the interest category by item. */
export function interestCategories({ keys, ofItem }: { keys: readonly string[]; ofItem: Int32Array }) {
  const names = keys.map(interestCategory);
  return (item: number): string | undefined => names[ofItem[item]];
}
