/**
 * What was bought together: the purchases of one person at one moment, and what was put into the cart with them.
 *
 * Bounded: of more than `mostPurchases` the newest are kept in a ring, at 20 bytes each 80 MB.
 */

import { grow } from './arrays/rows.ts';
import { hashOf } from './sightings.ts';

export type Orders = {
  /** Length: orders + 1. */
  offsets: Int32Array;
  /** Local items, each once an order; orders of one item are left out. */
  item: Int32Array;
};

export type OrdersBuilder = {
  add(subjectKey: string, item: number, timeSeconds: number): void;
  /** Undefined when nothing was bought together. */
  finish(): Orders | undefined;
};

/** What is in an order, or on the way there. */
export const orderEvents: ReadonlySet<string> = new Set(['purchase', 'add_to_cart']);

/** Between two of an order's events: as long as somebody may fill a cart. */
export const orderSeconds = 1_800;

const usualMostPurchases = 4_000_000;

/** Beyond these an order is a stock list: it says little about each pair, and its pairs would cost most of the time. */
const mostItemsOfOrder = 200;

export function createOrdersBuilder(mostPurchases = usualMostPurchases): OrdersBuilder {
  let person = new Int32Array(1024);
  let items = new Int32Array(1024);
  let times = new Float64Array(1024);
  let added = 0;

  /** By person, then by time, then by item, so that the same events give the same orders however they came. */
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
      person[row] = hashOf(subjectKey);
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
