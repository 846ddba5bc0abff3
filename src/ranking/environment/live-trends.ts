/** Trends of one environment, from events as they come, by position in the catalogue. */

import type { Catalog } from '../catalog/catalog.ts';
import type { TrendView } from '../models/trends/trend-models.ts';
import { createTrends, interestCategory, type TrendSnapshot } from '../models/trends/trends.ts';

export type LiveTrends = {
  readonly view: TrendView;
  /** Takes an event of an item in. `subject` is a hash of who did it. */
  add(itemIndex: number, atSeconds: number, subject: number): void;
  /**
   * Renews what `view` shows, if that is some seconds old and something has changed. Does nothing for a moment before the last
   * renewal, or where trends are counted elsewhere.
   */
  renew(nowSeconds: number): void;
  /** Shows trends that were counted elsewhere. */
  show(snapshot: TrendSnapshot): void;
  /** Changes with what `view` shows. */
  readonly version: number;
};

/** Snapshots are made at most so often. */
const pauseSeconds = 3;

/** Without new events counts fade, and items that are published in between appear, within this time. */
const longestSeconds = 60;

/** @param isFollower The trends are counted elsewhere and given to `show`. */
export function createLiveTrends(catalog: Catalog, isFollower = false): LiveTrends {
  const categoryOf = createItemCategories(catalog);
  let nowMs = 0;
  const trends = createTrends({
    get itemCount() {
      return catalog.itemCount;
    },
    categoryOf,
    publishedAt: (itemIndex) => catalog.publishedAt(itemIndex) / 1000,
    isPresent: (itemIndex) => catalog.servable(itemIndex, nowMs),
  });
  let snapshot: TrendSnapshot | undefined;
  let countedVersion = 0;
  let catalogPosition = -1;
  let renewedSeconds = Number.NEGATIVE_INFINITY;
  let version = 0;
  const view: TrendView = {
    current: () => snapshot,
    categoryOf,
    get itemCount() {
      return catalog.itemCount;
    },
  };
  const show = (shown: TrendSnapshot): void => {
    snapshot = shown;
    version += 1;
  };
  return {
    view,
    show,
    add: (itemIndex, atSeconds, subject) => trends.add(itemIndex, atSeconds, 1, subject),
    renew(nowSeconds) {
      const pastSeconds = nowSeconds - renewedSeconds;
      if (isFollower || pastSeconds < pauseSeconds) return;
      const isSame = countedVersion === trends.version && catalogPosition === catalog.changes.position;
      if (isSame && pastSeconds < longestSeconds) return;
      countedVersion = trends.version;
      catalogPosition = catalog.changes.position;
      renewedSeconds = nowSeconds;
      nowMs = nowSeconds * 1000;
      show(trends.snapshot(nowSeconds));
    },
    get version() {
      return version;
    },
  };
}

/** Remembers the first category of each item, as far as it concerns interests, until the item changes. */
function createItemCategories(catalog: Catalog): (itemIndex: number) => string | undefined {
  /** Empty for an item without one. */
  let known: (string | undefined)[] = [];
  let position = 0;
  const find = (itemIndex: number): string => {
    const [first] = catalog.column('categories')!.valuesAt(itemIndex);
    return first === undefined ? '' : interestCategory(String(first));
  };
  return (itemIndex) => {
    if (position !== catalog.changes.position) {
      const isFollowed = catalog.changes.visitSince(position, (changed) => {
        known[changed] = undefined;
      });
      if (!isFollowed) known = [];
      position = catalog.changes.position;
    }
    known[itemIndex] ??= find(itemIndex);
    return known[itemIndex] || undefined;
  };
}
