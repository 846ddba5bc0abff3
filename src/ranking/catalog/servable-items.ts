/**
 * The servable items at a time, one byte each, for readers of the whole catalogue.
 *
 * The bytes follow the change log, and a queue holds the future times of publication and expiry, so
 * that no item is tested twice. When the clock goes back behind such a time, all items are tested
 * again.
 */
import type { Catalog } from './catalog.ts';
import { grown } from './growth.ts';

export type ServableItems = {
  /**
   * Updates the bytes to a time, in milliseconds since the epoch.
   *
   * @param most Items to test for the first time in this call, so that no request waits for a large
   *   catalogue [all].
   * @returns Whether the bytes are complete. If not, the properties are not valid yet, and the next
   *   call continues.
   */
  moveTo(nowMs: number, most?: number): boolean;
  /** By item: 1 if it is servable. Valid until the next write or move; may be too long. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Changes with any item, and at each publication and expiry. */
  readonly version: number;
  /** Changes when a byte may have changed. */
  readonly shownVersion: number;
};

/** Items that an answer tests in a large, incomplete catalogue: about a millisecond. */
export const itemsPerAnswer = 4_000;

/** Spare bytes for new items, so that few of them need a new array. */
const spareShare = 1.25;
const roomOf = (itemCount: number): number => Math.ceil(itemCount * spareShare) + 64;

/** Times in the queue per item, and in all, beyond which old writes are dropped. */
const mostMoments = 4;
const leastMoments = 1_000;

/** The bytes, with the queue of future changes. */
function createShownBytes(catalog: Catalog) {
  const moments = createMomentQueue();
  let bytes = new Uint8Array(0);
  let count = 0;
  let version = 0;
  /** The latest publication or expiry that has passed. */
  let passedMs = Number.NEGATIVE_INFINITY;

  const noteMoment = (momentMs: number, itemIndex: number, nowMs: number): void => {
    if (momentMs > nowMs) moments.add(momentMs, itemIndex);
    else if (momentMs > passedMs) passedMs = momentMs;
  };

  return {
    moments,
    get bytes() {
      return bytes;
    },
    get count() {
      return count;
    },
    get version() {
      return version;
    },
    get passedMs() {
      return passedMs;
    },
    clear() {
      bytes = new Uint8Array(roomOf(catalog.itemCount));
      count = 0;
      version += 1;
      passedMs = Number.NEGATIVE_INFINITY;
      moments.clear();
    },
    makeRoom() {
      if (catalog.itemCount <= bytes.length) return;
      const wider = new Uint8Array(roomOf(catalog.itemCount));
      wider.set(bytes);
      bytes = wider;
    },
    update(itemIndex: number, nowMs: number) {
      const byte = Number(catalog.servable(itemIndex, nowMs));
      if (byte !== bytes[itemIndex]) version += 1;
      count += byte - bytes[itemIndex];
      bytes[itemIndex] = byte;
      noteMoment(catalog.publishedAt(itemIndex), itemIndex, nowMs);
      noteMoment(catalog.expiresAt(itemIndex), itemIndex, nowMs);
    },
  };
}

export function createServableItems(catalog: Catalog): ServableItems {
  const shown = createShownBytes(catalog);
  const { moments } = shown;
  let version = 0;
  /** Position in the change log, and the number of items at it. */
  let position = -1;
  let knownCount = 0;
  /** The items before it are tested. */
  let builtUntil = 0;

  /** Applies changes to tested items, and to new ones at the end; false to start over. */
  const followed = (nowMs: number): boolean => {
    if (position < 0 || nowMs < shown.passedMs) return false;
    if (moments.length > catalog.itemCount * mostMoments + leastMoments) return false;
    shown.makeRoom();
    const isBuilt = builtUntil === knownCount;
    const isFollowed = catalog.changes.visitSince(position, (itemIndex) => {
      if (isBuilt || itemIndex < builtUntil) shown.update(itemIndex, nowMs);
    });
    if (isFollowed && isBuilt) builtUntil = catalog.itemCount;
    return isFollowed;
  };

  const begin = (): void => {
    shown.clear();
    builtUntil = 0;
  };

  return {
    moveTo(nowMs, most = Number.POSITIVE_INFINITY) {
      if (position !== catalog.changes.position || nowMs < shown.passedMs) {
        if (!followed(nowMs)) begin();
        position = catalog.changes.position;
        knownCount = catalog.itemCount;
        version += 1;
      }
      const end = Math.min(knownCount, builtUntil + most);
      for (; builtUntil < end; builtUntil++) shown.update(builtUntil, nowMs);
      if (builtUntil < knownCount) return false;
      while (moments.nextMs <= nowMs) {
        shown.update(moments.take(), nowMs);
        version += 1;
      }
      return true;
    },
    get bytes() {
      return shown.bytes;
    },
    get count() {
      return shown.count;
    },
    get version() {
      return version;
    },
    get shownVersion() {
      return shown.version;
    },
  };
}

type MomentQueue = {
  /** Infinity when the queue is empty. */
  readonly nextMs: number;
  readonly length: number;
  add(momentMs: number, itemIndex: number): void;
  /** Removes and returns the first item. */
  take(): number;
  clear(): void;
};

/** Items by the time of their next change, the earliest first: a binary heap. */
function createMomentQueue(): MomentQueue {
  let moments = new Float64Array(0);
  let items = new Int32Array(0);
  let length = 0;

  const put = (at: number, momentMs: number, itemIndex: number): void => {
    moments[at] = momentMs;
    items[at] = itemIndex;
  };

  const earlierChild = (at: number): number => {
    const child = at * 2 + 1;
    return child + 1 < length && moments[child + 1] < moments[child] ? child + 1 : child;
  };

  return {
    get nextMs() {
      return length === 0 ? Number.POSITIVE_INFINITY : moments[0];
    },
    get length() {
      return length;
    },
    add(momentMs, itemIndex) {
      moments = grown(moments, length + 1, 0);
      items = grown(items, length + 1, 0);
      let at = length++;
      for (let parent = (at - 1) >> 1; at > 0 && moments[parent] > momentMs; parent = (at - 1) >> 1) {
        put(at, moments[parent], items[parent]);
        at = parent;
      }
      put(at, momentMs, itemIndex);
    },
    take() {
      const [first] = items;
      length -= 1;
      const momentMs = moments[length];
      const itemIndex = items[length];
      let at = 0;
      for (
        let child = earlierChild(0);
        child < length && moments[child] < momentMs;
        child = earlierChild(at)
      ) {
        put(at, moments[child], items[child]);
        at = child;
      }
      put(at, momentMs, itemIndex);
      return first;
    },
    clear() {
      length = 0;
    },
  };
}
