/**
 * Orders: purchases of one subject close in time, with the items put into the cart beside them.
 *
 * Bounded: a ring keeps the newest `mostPurchases`, 80 MB at 20 bytes each.
 */

import { hashText } from '../runtime/hash.ts';
import { grow } from './arrays/rows.ts';

export type Orders = {
  /** Length: orders + 1. */
  offsets: Int32Array;
  /** Local items, each once per order; orders of one item are left out. */
  item: Int32Array;
};

export type OrdersBuilder = {
  add(subjectKey: string, item: number, timeSeconds: number): void;
  /** Returns undefined without orders of several items. */
  finish(): Orders | undefined;
};

/** Events that put an item into an order. */
export const orderEvents: ReadonlySet<string> = new Set(['purchase', 'add_to_cart']);

/** Longest time between two events of an order: the time to fill a cart. */
export const orderSeconds = 1_800;

const usualMostPurchases = 4_000_000;

/** Longer orders are stock lists: their pairs say little and would cost most of the time. */
const mostItemsOfOrder = 200;

export function createOrdersBuilder(mostPurchases = usualMostPurchases): OrdersBuilder {
  let person = new Int32Array(1024);
  let items = new Int32Array(1024);
  let times = new Float64Array(1024);
  let added = 0;

  /** Orders rows by subject, time and item, so that arrival order does not matter. */
  const inOrder = (): Uint32Array => {
    const rows = Uint32Array.from({ length: Math.min(added, mostPurchases) }, (_, row) => row);
    return rows.sort((a, b) => person[a] - person[b] || times[a] - times[b] || items[a] - items[b]);
  };

  return {
    add(subjectKey, item, timeSeconds) {
      const row = added++ % mostPurchases;
      person = grow(person, row + 1);
      items = grow(items, row + 1);
      times = grow(times, row + 1);
      person[row] = hashText(subjectKey);
      items[row] = item;
      times[row] = timeSeconds;
    },
    finish() {
      const offsets = [0];
      const kept: number[] = [];
      let order = new Set<number>();
      const close = () => {
        if (order.size > 1 && order.size <= mostItemsOfOrder) offsets.push(kept.push(...order));
        order = new Set();
      };
      let last = -1;
      for (const row of inOrder()) {
        const goesOn = last >= 0 && person[row] === person[last] && times[row] - times[last] <= orderSeconds;
        if (!goesOn) close();
        order.add(items[row]);
        last = row;
      }
      close();
      if (kept.length === 0) return undefined;
      return { offsets: Int32Array.from(offsets), item: Int32Array.from(kept) };
    },
  };
}
