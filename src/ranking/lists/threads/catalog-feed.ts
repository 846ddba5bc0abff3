/**
 * Replicates a catalogue to list threads: first its rows in slices, then changes.
 *
 * Rows are read when sent, so they are current, and changes of rows not sent yet need no message.
 * Sending rows in order keeps positions equal.
 */

import { createRowReader } from '../../catalog/item-rows.ts';
import type { ListEnvironment } from '../../environment/serving-environment.ts';
import { nextTurn } from '../../runtime/slices.ts';

/** Rows sent in one slice: 2 to 3 ms. */
const rowsPerTurn = 300;

/** @param rows JSON of CatalogRows. */
export type TellRows = (rows: string, isFilled: boolean) => void;

export type CatalogFeed = {
  /** Starts replication; returns a function that ends it. */
  follow(tell: TellRows): () => void;
  /** Records that an item was written. */
  note(itemIndex: number): void;
  /** Sends the recorded changes. */
  flush(): void;
};

type Follower = {
  tell: TellRows;
  /** Items before this position have been sent. */
  end: number;
  isFilled: boolean;
};

export function createCatalogFeed({ catalog, settings }: ListEnvironment): CatalogFeed {
  const rowAt = createRowReader(catalog, settings);
  const followers = new Set<Follower>();
  const noted = new Set<number>();
  let isFilling = false;
  const rowsOf = (items: Iterable<number>): string => JSON.stringify(Array.from(items, rowAt));

  /** Threads at the same position share the serialised text. */
  const fillSlice = (unfilled: Follower[]): void => {
    flush();
    const start = Math.min(...unfilled.map(({ end }) => end));
    const end = Math.min(start + rowsPerTurn, catalog.itemCount);
    const rows = rowsOf(Array.from({ length: end - start }, (_, place) => start + place));
    for (const follower of unfilled.filter((one) => one.end === start)) {
      follower.end = end;
      follower.isFilled = end === catalog.itemCount;
      follower.tell(rows, follower.isFilled);
    }
  };
  const fill = async (): Promise<void> => {
    if (isFilling) return;
    isFilling = true;
    for (let unfilled = unfilledOf(); unfilled.length > 0; unfilled = unfilledOf()) {
      fillSlice(unfilled);
      await nextTurn();
    }
    isFilling = false;
  };
  const unfilledOf = () => [...followers].filter(({ isFilled }) => !isFilled);

  const flush = (): void => {
    if (noted.size === 0) return;
    const items = [...noted];
    noted.clear();
    const all = rowsOf(items);
    for (const { tell, end, isFilled } of followers) {
      const held = isFilled ? items : items.filter((itemIndex) => itemIndex < end);
      if (held.length > 0) tell(held.length === items.length ? all : rowsOf(held), false);
    }
  };

  return {
    follow(tell) {
      const follower: Follower = { tell, end: 0, isFilled: false };
      followers.add(follower);
      void fill();
      return () => void followers.delete(follower);
    },
    note(itemIndex) {
      if (followers.size === 0) return;
      if (noted.size === 0) setImmediate(flush);
      noted.add(itemIndex);
    },
    flush,
  };
}
