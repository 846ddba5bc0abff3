/** Tracks which items a request excludes and which its earlier lists contain. */

import type { ItemTypeSettings } from '../../../deployment/deployment.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { grown } from '../../catalog/growth.ts';

const noGroup = -1;

export type Exclusions = {
  begin(catalog: Catalog, itemTypes: ReadonlyMap<string, ItemTypeSettings>, nowMs: number): void;
  /** Excludes items, and with each the other variants of its group; an ordered group goes on. */
  forbidAll(itemIndexes: readonly number[]): void;
  /** Whether another item of its group is excluded, but not the item itself. */
  isGroupForbidden(itemIndex: number): boolean;
  /** Excludes disliked items. */
  forbidDisliked(itemIndexes: ReadonlySet<number>): void;
  isDisliked(itemIndex: number): boolean;
  /** Whether the item, or a variant of it, is consumed, disliked, in the basket or the context item. */
  forbids(itemIndex: number): boolean;
  /** Whether the item exceeds the maximum age of its type. */
  isTooOld(itemIndex: number): boolean;
  use(itemIndex: number | undefined): void;
  isUsed(itemIndex: number): boolean;
  /** Whether an earlier list contains a member of its group. */
  isGroupUsed(itemIndex: number): boolean;
  readonly anyUsed: boolean;
};

/** Returns the earliest publication by item type, Unix milliseconds. */
function oldestOf(itemTypes: ReadonlyMap<string, ItemTypeSettings>, nowMs: number): Map<string, number> {
  const oldest = new Map<string, number>();
  for (const { name, maximumAgeHours } of itemTypes.values())
    if (maximumAgeHours !== undefined) oldest.set(name, nowMs - maximumAgeHours * 3_600_000);
  return oldest;
}

/** Reusable between requests: an item is marked by the current stamp, so nothing is cleared. */
export function createExclusions(): Exclusions {
  let forbidden = new Int32Array(0);
  let used = new Int32Array(0);
  let usedGroups = new Int32Array(0);
  let stamp = 0;
  let anyUsed = false;
  let forbiddenGroups = new Int32Array(0);
  let anyGroupForbidden = false;
  let disliked: ReadonlySet<number> = new Set();
  let catalog: Catalog;
  let oldestByType = new Map<string, number>();

  const isTooOld = (itemIndex: number): boolean => {
    if (oldestByType.size === 0) return false;
    const oldest = oldestByType.get(catalog.itemTypeAt(itemIndex));
    return oldest !== undefined && catalog.publishedAt(itemIndex) < oldest;
  };
  const isGroupForbidden = (itemIndex: number): boolean => {
    if (!anyGroupForbidden || forbidden[itemIndex] === stamp) return false;
    const group = catalog.groups.of(itemIndex);
    return group !== noGroup && forbiddenGroups[group] === stamp && !catalog.groups.isOrdered(itemIndex);
  };
  const use = (itemIndex: number | undefined) => {
    if (itemIndex === undefined) return;
    used[itemIndex] = stamp;
    const group = catalog.groups.of(itemIndex);
    if (group !== noGroup) usedGroups[group] = stamp;
    anyUsed = true;
  };

  return {
    begin(next, itemTypes, nowMs) {
      catalog = next;
      forbidden = grown(forbidden, next.itemCount, 0);
      used = grown(used, next.itemCount, 0);
      usedGroups = grown(usedGroups, next.groups.codeLimit, 0);
      forbiddenGroups = grown(forbiddenGroups, next.groups.codeLimit, 0);
      anyGroupForbidden = false;
      disliked = new Set();
      stamp += 1;
      anyUsed = false;
      oldestByType = oldestOf(itemTypes, nowMs);
    },
    forbidAll(itemIndexes) {
      for (const itemIndex of itemIndexes) {
        forbidden[itemIndex] = stamp;
        const group = catalog.groups.of(itemIndex);
        if (group === noGroup || catalog.groups.isOrdered(itemIndex)) continue;
        forbiddenGroups[group] = stamp;
        anyGroupForbidden = true;
      }
    },
    isGroupForbidden,
    forbidDisliked(itemIndexes) {
      disliked = itemIndexes;
      for (const itemIndex of itemIndexes) forbidden[itemIndex] = stamp;
    },
    isDisliked: (itemIndex) => disliked.has(itemIndex),
    forbids: (itemIndex) => forbidden[itemIndex] === stamp || isGroupForbidden(itemIndex),
    isTooOld,
    use,
    isUsed: (itemIndex) => used[itemIndex] === stamp,
    isGroupUsed: (itemIndex) => usedGroups[catalog.groups.of(itemIndex)] === stamp,
    get anyUsed() {
      return anyUsed;
    },
  };
}
