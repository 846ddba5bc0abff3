/**
 * Which items can be shown at a moment, a byte an item: for whoever looks at all of them.
 *
 * Bytes follow the change log, and a queue holds the moments to come at which items are published or expire, so that
 * nothing is asked of an item twice. A clock that goes back behind such a moment begins anew.
 */
import type { Catalog } from './catalog.ts';
import { createMomentQueue } from './moment-queue.ts';

export type ServableItems = {
  /** Brings the bytes to a moment, in milliseconds since the epoch. */
  moveTo(nowMs: number): void;
  /** By position, 1 for an item that can be shown; may be longer than the catalogue. Good until the next write or move. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Another one for every change of any item, and for every moment that changed one. */
  readonly version: number;
  /** Another one whenever some byte may have become another one. */
  readonly shownVersion: number;
};

/** Room for items that arrive later, so that not every new one makes a new array. */
const spareShare = 1.25;

/** An item that is written again and again leaves a moment behind each time; beyond these all are gathered anew. */
const mostMoments = 4;
const leastMoments = 1_000;

export function createServableItems(catalog: Catalog): ServableItems {
  const moments = createMomentQueue();
  let bytes = new Uint8Array(0);
  let count = 0;
  let version = 0;
  let shownVersion = 0;
  let position = -1;
  /** The last moment that has passed for any item. */
  let passedMs = Number.NEGATIVE_INFINITY;

  const noteMoment = (momentMs: number, itemIndex: number, nowMs: number): void => {
    if (momentMs > nowMs) moments.add(momentMs, itemIndex);
    else if (momentMs > passedMs) passedMs = momentMs;
  };

  const update = (itemIndex: number, nowMs: number): void => {
    const byte = Number(catalog.servable(itemIndex, nowMs));
    if (byte !== bytes[itemIndex]) shownVersion += 1;
    count += byte - bytes[itemIndex];
    bytes[itemIndex] = byte;
    noteMoment(catalog.publishedAt(itemIndex), itemIndex, nowMs);
    noteMoment(catalog.expiresAt(itemIndex), itemIndex, nowMs);
  };

  const rebuild = (nowMs: number): void => {
    bytes = new Uint8Array(Math.ceil(catalog.itemCount * spareShare) + 64);
    count = 0;
    shownVersion += 1;
    passedMs = Number.NEGATIVE_INFINITY;
    moments.clear();
    for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++) update(itemIndex, nowMs);
  };

  const followed = (nowMs: number): boolean =>
    position >= 0 &&
    nowMs >= passedMs &&
    moments.length <= catalog.itemCount * mostMoments + leastMoments &&
    catalog.itemCount <= bytes.length &&
    catalog.changes.visitSince(position, (itemIndex) => update(itemIndex, nowMs));

  return {
    moveTo(nowMs) {
      if (position !== catalog.changes.position || nowMs < passedMs) {
        if (!followed(nowMs)) rebuild(nowMs);
        position = catalog.changes.position;
        version += 1;
      }
      while (moments.nextMs <= nowMs) {
        update(moments.take(), nowMs);
        version += 1;
      }
    },
    get bytes() {
      return bytes;
    },
    get count() {
      return count;
    },
    get version() {
      return version;
    },
    get shownVersion() {
      return shownVersion;
    },
  };
}
