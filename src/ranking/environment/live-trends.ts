/** Live trends of one environment, from incoming events, by catalogue position. */

import type { Catalog } from '../catalog/catalog.ts';
import type { TrendView } from '../models/trends/trend-models.ts';
import { createTrends, emptyTrends, interestCategory, type TrendSnapshot } from '../models/trends/trends.ts';

export type LiveTrends = {
  readonly view: TrendView;
  /** Counts an event of an item. `subject` is a hash of the subject. */
  add(itemIndex: number, atSeconds: number, subject: number): void;
  /** Counts an impression. */
  show(itemIndex: number, atSeconds: number, subject: number): void;
  /**
   * Renews `view` if it is some seconds old and outdated. Has no effect for a time before the last
   * renewal, or if trends are counted elsewhere.
   */
  renew(nowSeconds: number): void;
  /** Sets `view` to trends counted elsewhere. */
  replace(snapshot: TrendSnapshot): void;
  /** Runs synchronous work while `view` shows an earlier snapshot. */
  during<T>(shown: TrendSnapshot, work: () => T): T;
  /** Changes whenever `view` changes. */
  readonly version: number;
};

/** Minimum interval between snapshots with new events. */
const pauseSeconds = 3;

/** Maximum interval: counts fade and newly published items appear without events, too. */
const longestSeconds = 60;

/** @param isFollower Trends are counted elsewhere and passed to `replace`. */
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
  let snapshot = emptyTrends;
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
  const replace = (shown: TrendSnapshot): void => {
    snapshot = shown;
    version += 1;
  };
  return {
    view,
    replace,
    add: (itemIndex, atSeconds, subject) => trends.add(itemIndex, atSeconds, 1, subject),
    show: trends.show,
    renew(nowSeconds) {
      const pastSeconds = nowSeconds - renewedSeconds;
      if (isFollower || pastSeconds < pauseSeconds) return;
      const isSame = countedVersion === trends.version && catalogPosition === catalog.changes.position;
      if (isSame && pastSeconds < longestSeconds) return;
      countedVersion = trends.version;
      catalogPosition = catalog.changes.position;
      renewedSeconds = nowSeconds;
      nowMs = nowSeconds * 1000;
      replace(trends.snapshot(nowSeconds));
    },
    during(shown, work) {
      const current = snapshot;
      snapshot = shown;
      try {
        return work();
      } finally {
        snapshot = current;
      }
    },
    get version() {
      return version;
    },
  };
}

/** Caches each item's first category for interests until the catalogue changes. */
function createItemCategories(catalog: Catalog): (itemIndex: number) => string | undefined {
  /** Holds '' for an item without a category. */
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
