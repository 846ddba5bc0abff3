/**
 * Which items can be shown at a moment, a byte an item: for whoever looks at all of them.
 *
 * Bytes follow the change log, and a queue holds the moments to come at which items are published or expire, so that
 * nothing is asked of an item twice. A clock that goes back behind such a moment begins anew.
 */
import type { Catalog } from './catalog.ts';
import { createMomentQueue } from './moment-queue.ts';

export type ServableItems = {
  /**
   * Brings the bytes to a moment, in milliseconds since the epoch.
   *
   * @param most Items that are looked at for the first time, so that nobody waits for all of a large catalogue [all].
   * @returns Whether they are there. If not, nothing below holds yet, and the next call goes on.
   */
  moveTo(nowMs: number, most?: number): boolean;
  /** By position, 1 for an item that can be shown; may be longer than the catalogue. Good until the next write or move. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Another one for every change of any item, and for every moment that changed one. */
  readonly version: number;
  /** Another one whenever some byte may have become another one. */
  readonly shownVersion: number;
};

/** What an answer looks at for the first time, while a large catalogue is not known yet: about a millisecond. */
export const itemsPerAnswer = 4_000;

/** Room for items that arrive later, so that not every new one makes a new array. */
const spareShare = 1.25;
const roomOf = (itemCount: number): number => Math.ceil(itemCount * spareShare) + 64;

/** An item that is written again and again leaves a moment behind each time; beyond these all are gathered anew. */
const mostMoments = 4;
const leastMoments = 1_000;

/** A byte an item, and the moments to come at which one becomes another. */
function createShownBytes(catalog: Catalog) {
  const moments = createMomentQueue();
  let bytes = new Uint8Array(0);
  let count = 0;
  let version = 0;
  /** The last moment that has passed for any item. */
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
  /** Of the change log, and how many items there were then. */
  let position = -1;
  let knownCount = 0;
  /** Items before it were looked at. */
  let builtUntil = 0;

  /** Of the items that were looked at; new ones are, too, once all are known. */
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
