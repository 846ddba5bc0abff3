/**
 * Trends by category: live counts of events in the last hours and days.
 *
 * A new item starts with the average of its category's young items, fading with age, so that it is
 * shown before its first contact. A subject counts once per item and hour, so that no device makes
 * a trend alone. Contacts are divided by the impressions without one, so that a list does not keep
 * its items only because it shows them:
 *
 *   worth(i) = contacts_i / (1 + max(0, impressions_i − contacts_i) / m)
 *
 * An item that is found more often than it is shown keeps its contacts; one that is shown a lot is
 * ranked by the odds that it is opened.
 */

import { createRowsBuilder, groupBy, type Rows } from '../arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer } from '../arrays/top-n.ts';
import { createDecayedCounts } from './decayed-counts.ts';
import { createRepetitions } from './repetitions.ts';

/** By the name of the model. */
const trendHalfLives = { trend_hour: 3_600, trend_day: 12 * 3_600, trend_week: 5 * 86_400 } as const;

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

/** m: impressions without a contact that halve an item's contacts. */
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
  /** @param wanted Other categories have empty rows [all]. */
  snapshot(nowSeconds: number, wanted?: ReadonlySet<string | undefined>): TrendSnapshot;
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
  /** Forgets the faded items; returns the others and the published ones that may be shown. */
  const findItems = (nowSeconds: number): Int32Array => {
    const counted = Int32Array.from(active);
    const weekCounts = week.at(counted, nowSeconds);
    const found: number[] = [];
    for (let place = 0; place < counted.length; place++) {
      if (weekCounts[place] <= leastCount) active.delete(counted[place]);
      else if (traits.isPresent(counted[place])) found.push(counted[place]);
    }
    for (const index of findPublished(nowSeconds))
      if (!active.has(index) && traits.isPresent(index)) found.push(index);
    return Int32Array.from(found);
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
    snapshot(nowSeconds, wanted) {
      const { items, categories } = placeItems(findItems(nowSeconds), traits, nowSeconds);
      const isWanted = [false, ...categories.map((category) => wanted?.has(category) ?? true)];
      const groups = { ...groupBy(items.row, categories.length + 1), isWanted };
      const ranked = windowNames.map((name, window) => {
        const [contacts, shown] = [counts, impressions].map((some) =>
          some[window].at(items.index, nowSeconds),
        );
        return rankRows(worthsOf(items, contacts, shown, trendHalfLives[name]), items.index, groups);
      });
      const windows = Object.fromEntries([
        ...ranked.map(({ rows }, place) => [windowNames[place], rows]),
        ['newest', rankNewest(items, groups)],
      ]) as TrendSnapshot['windows'];
      const { offsets, items: newest } = windows.newest;
      const newestOverall = newest.subarray(offsets[categories.length], offsets[categories.length + 1]);
      const counted = [impressions[1], impressions[2], week].map((one) => one.at(newestOverall, nowSeconds));
      return {
        categories,
        windows,
        overall: joinWindows(ranked, categories.length),
        newestCounts: Float32Array.from(
          Array.from(newestOverall.keys()).flatMap((place) => counted.map((values) => values[place])),
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

/**
 * Items of a snapshot by place: index, group (0 without a category, else its row plus one), age in
 * seconds (NaN when unknown).
 */
type PlacedItems = { index: Int32Array; row: Int32Array; age: Float64Array };

/** Their places by group, and the groups with a row of their own. */
type Groups = ReturnType<typeof groupBy> & { isWanted: readonly boolean[] };

function placeItems(index: Int32Array, traits: TrendTraits, nowSeconds: number) {
  const rows = new Map<string | undefined, number>([[undefined, 0]]);
  const row = new Int32Array(index.length);
  const age = new Float64Array(index.length);
  for (let place = 0; place < index.length; place++) {
    const category = traits.categoryOf(index[place]);
    row[place] = rows.get(category) ?? rows.size;
    if (row[place] === rows.size) rows.set(category, rows.size);
    age[place] = nowSeconds - traits.publishedAt(index[place]);
  }
  return { items: { index, row, age }, categories: [...rows.keys()].slice(1) as string[] };
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
function rankNewest({ index, age }: PlacedItems, groups: Groups): Rows {
  const { rows } = rankRows(Float32Array.from(age, youthOf), index, groups);
  const scores = new Float32Array(rows.scores.length);
  for (let row = 1; row < rows.offsets.length; row++) {
    const start = rows.offsets[row - 1];
    for (let at = start; at < rows.offsets[row]; at++) scores[at] = 1 / (1 + (at - start) / newestHalfRank);
  }
  return { ...rows, scores };
}

/** Returns each item's worth: its contacts by impressions, plus the expectation of a young item. */
function worthsOf(
  { index, row, age }: PlacedItems,
  contacts: Float64Array,
  shown: Float64Array,
  halfLifeSeconds: number,
): Float32Array {
  const longest = Math.min(youngSeconds, youngHalfLives * halfLifeSeconds);
  const groupCount = row.reduce((most, one) => Math.max(most, one + 1), 0);
  const [sums, counts] = [new Float64Array(groupCount), new Int32Array(groupCount)];
  let [sum, count] = [0, 0];
  const worths = new Float32Array(index.length);
  for (let place = 0; place < index.length; place++) {
    const unanswered = Math.max(0, shown[place] - contacts[place]);
    worths[place] = contacts[place] / (1 + unanswered / halvingImpressions);
    if (!(age[place] >= 0 && age[place] < longest)) continue;
    sums[row[place]] += worths[place];
    counts[row[place]] += 1;
    sum += worths[place];
    count += 1;
  }
  const overall = count === 0 ? 0 : sum / count;
  for (let place = 0; place < index.length; place++) {
    if (!(age[place] >= 0 && age[place] < longest)) continue;
    const expected = (sums[row[place]] + priorStrength * overall) / (counts[row[place]] + priorStrength);
    worths[place] += expected * 2 ** (-age[place] / halfLifeSeconds);
  }
  return worths;
}

type Ranked = { rows: Rows; unit: number };

/** Ranks each wanted group, and all items: the best are among the best of a group. */
function rankRows(worths: Float32Array, index: Int32Array, { offsets, order, isWanted }: Groups): Ranked {
  const builder = createRowsBuilder(offsets.length - 1);
  const [top, best] = [createTopN(itemsPerRow), createTopN(itemsPerRow)];
  for (let group = 0; group + 1 < offsets.length; group++) {
    beginTopN(top);
    const into = isWanted[group] ? top : best;
    for (let at = offsets[group]; at < offsets[group + 1]; at++)
      if (worths[order[at]] > 0) offer(into, index[order[at]], worths[order[at]]);
    finishTopN(top);
    for (let rank = 0; rank < top.size; rank++) offer(best, top.items[rank], top.scores[rank]);
    if (group > 0) builder.appendRow(top);
  }
  finishTopN(best);
  builder.appendRow(best);
  const unit = unitOf(best.scores, best.size);
  const rows = builder.finish();
  for (let at = 0; at < rows.scores.length; at++) rows.scores[at] /= unit;
  return { rows, unit };
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
