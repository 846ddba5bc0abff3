/**
 * Trends by category: live counts of events in the last hours and days.
 *
 * A new item starts with the average of its category's young items, fading with age, so that it is
 * shown before its first contact. A subject counts once per item and hour, so that no device makes
 * a trend alone.
 */

import { createRowsBuilder, type Rows } from '../arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer } from '../arrays/top-n.ts';
import { createDecayedCounts } from './decayed-counts.ts';

/** By the name of the model. */
export const trendHalfLives = { trend_hour: 3_600, trend_day: 12 * 3_600, trend_week: 5 * 86_400 } as const;

export type TrendName = keyof typeof trendHalfLives;

export const trendNames = Object.keys(trendHalfLives) as TrendName[];

export function isTrendName(name: string): name is TrendName {
  return name in trendHalfLives;
}

/** Items per category, and overall, in a snapshot. */
const itemsPerRow = 100;

/** Best items whose average score is scaled to 1. */
const unitItems = 20;

/** Half-lives for which an item is young. */
const youngHalfLives = 2;

/** Prior weight of all categories, in young items, for a category's average. */
const priorStrength = 5;

/** Smaller counts are dropped. */
const leastCount = 0.02;

export type TrendWindow = {
  /** One row per category, then one for all items. Scores are near 0…1; bursts exceed 1. */
  rows: Rows;
};

/** Trends at a time, as plain data that threads can share. */
export type TrendSnapshot = {
  categories: readonly string[];
  windows: Record<TrendName, TrendWindow>;
  /** Overall trend, best first: all windows, each weighted by its number of events. */
  overall: { items: Int32Array; scores: Float32Array };
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
  /** Returns an item's popularity in recent days, 0…1. */
  popularityOf(index: number, nowSeconds: number): number;
  snapshot(nowSeconds: number): TrendSnapshot;
  /** Number of counted events. */
  readonly version: number;
};

export function createTrends(traits: TrendTraits): Trends {
  const counts = trendNames.map((name) => createDecayedCounts(trendHalfLives[name]));
  const [, , week] = counts;
  const isRepeated = createRepetitions();
  /** Indexes with a count. */
  let active = new Set<number>();
  let version = 0;
  let mostOfWeek = 0;

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
    popularityOf: (index, nowSeconds) =>
      mostOfWeek === 0 ? 0 : Math.min(1, week.at(index, nowSeconds) / mostOfWeek),
    snapshot(nowSeconds) {
      active = new Set([...active].filter((index) => week.at(index, nowSeconds) > leastCount));
      mostOfWeek = Math.max(0, ...[...active].slice(0, 10_000).map((index) => week.at(index, nowSeconds)));
      const present = [...active].filter(traits.isPresent);
      const categories = new Map<string, number>();
      const rowOf = (index: number): number => {
        const category = traits.categoryOf(index);
        if (category === undefined) return -1;
        const row = categories.get(category) ?? categories.size;
        categories.set(category, row);
        return row;
      };
      const young = findYoung(traits, nowSeconds);
      const items = [...new Set([...present, ...young])].map((index) => ({ index, row: rowOf(index) }));
      const ranked = trendNames.map((name, place) => {
        const countAt = (index: number) => counts[place].at(index, nowSeconds);
        const seconds = trendHalfLives[name];
        const worthOf = createWorths(items, { countAt, ageOf: ageAt(traits, nowSeconds), seconds });
        return rankRows(items, categories.size, worthOf);
      });
      const windows = Object.fromEntries(
        ranked.map(({ rows }, place) => [trendNames[place], { rows }]),
      ) as TrendSnapshot['windows'];
      return { categories: [...categories.keys()], windows, overall: joinWindows(ranked, categories.size) };
    },
  };
}

type Placed = { index: number; row: number };

const ageAt = (traits: TrendTraits, nowSeconds: number) => (index: number) =>
  nowSeconds - traits.publishedAt(index);

/** Longest time for which an item is young, by the window of days. */
const youngSeconds = youngHalfLives * trendHalfLives.trend_day;

function findYoung(traits: TrendTraits, nowSeconds: number): number[] {
  const young: number[] = [];
  for (let index = 0; index < traits.itemCount; index++) {
    const age = nowSeconds - traits.publishedAt(index);
    if (age >= 0 && age < youngSeconds && traits.isPresent(index)) young.push(index);
  }
  return young;
}

type Counting = { countAt(index: number): number; ageOf(index: number): number; seconds: number };

/** Returns an item's worth: its count, plus the expectation of a young item. */
function createWorths(items: readonly Placed[], { countAt, ageOf, seconds }: Counting) {
  const longest = Math.min(youngSeconds, youngHalfLives * seconds);
  const isYoung = (index: number) => ageOf(index) >= 0 && ageOf(index) < longest;
  const sums = new Map<number, { sum: number; count: number }>();
  let [sum, count] = [0, 0];
  for (const { index, row } of items) {
    if (!isYoung(index)) continue;
    const own = sums.get(row) ?? { sum: 0, count: 0 };
    sums.set(row, own);
    const value = countAt(index);
    own.sum += value;
    own.count += 1;
    sum += value;
    count += 1;
  }
  const overall = count === 0 ? 0 : sum / count;
  return ({ index, row }: Placed): number => {
    const counted = countAt(index);
    if (!isYoung(index)) return counted;
    const own = sums.get(row)!;
    const expected = (own.sum + priorStrength * overall) / (own.count + priorStrength);
    return counted + expected * 2 ** (-ageOf(index) / seconds);
  };
}

type Ranked = { rows: Rows; unit: number };

function rankRows(items: readonly Placed[], rowCount: number, worthOf: (item: Placed) => number): Ranked {
  const tops = Array.from({ length: rowCount + 1 }, () => createTopN(itemsPerRow));
  for (const top of tops) beginTopN(top);
  for (const item of items) {
    const worth = Math.fround(worthOf(item));
    if (worth <= 0) continue;
    if (item.row >= 0) offer(tops[item.row], item.index, worth);
    offer(tops[rowCount], item.index, worth);
  }
  for (const top of tops) finishTopN(top);
  const unit = unitOf(tops[rowCount].scores, tops[rowCount].size);
  const rows = createRowsBuilder(rowCount + 1);
  for (const top of tops) {
    for (let rank = 0; rank < top.size; rank++) top.scores[rank] /= unit;
    rows.appendRow(top);
  }
  return { rows: rows.finish(), unit };
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

const repetitionSlots = 1 << 16;
const hourSeconds = 3_600;

/** Detects repeated contacts with an item in the same hour, in a table of the latest. */
function createRepetitions(): (index: number, atSeconds: number, subject: number) => boolean {
  const marks = new Int32Array(repetitionSlots);
  return (index, atSeconds, subject) => {
    const hour = Math.floor(atSeconds / hourSeconds);
    const mark =
      Math.imul(Math.imul(subject ^ 0x9e3779b1, 0x85ebca6b) ^ index, 0xc2b2ae35) ^
      Math.imul(hour, 0x27d4eb2f);
    const slot = (mark ^ (mark >>> 15)) & (repetitionSlots - 1);
    if (marks[slot] === mark) return true;
    marks[slot] = mark;
    return false;
  };
}

/** Returns the first two levels of a category path, the granularity of interests. */
export function interestCategory(path: string): string {
  return path.split('/', 2).join('/');
}
