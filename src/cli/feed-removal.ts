/** Disables the items that a complete feed lacks, unless they are suspiciously many. */

import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import type { Batch } from '../formats/records/batches.ts';
import { itemKey } from '../formats/records/outgoing.ts';
import type { Connection } from './connection/connect.ts';

export type Feed = {
  keys: Set<string>;
  /** Lines whose item could not be read. */
  unreadableCount: number;
};

export type RemovalOptions = {
  environment: string;
  /** Largest share of the stored items that may be disabled, in percent. */
  mostRemoved: number;
  /** Counts the items and disables none. */
  dryRun: boolean | undefined;
};

export function addToFeed(feed: Feed, { records, refused }: Batch): void {
  for (const { key } of [...records, ...refused]) {
    if (key === undefined) feed.unreadableCount += 1;
    else feed.keys.add(key);
  }
}

const itemsPerCall = 2_000;
const withoutDeadline = { timeoutMs: 0 };

/** Disables the feed's missing items. @throws Error if they are too many or a line is unreadable */
export async function removeMissing(
  { client }: Connection,
  feed: Feed,
  { environment, mostRemoved, dryRun }: RemovalOptions,
): Promise<number> {
  const { keys, unreadableCount } = feed;
  if (unreadableCount > 0)
    throw new Error(`No item was removed: the item of ${unreadableCount} refused lines could not be read.`);
  const itemTypes = [...new Set(Array.from(keys, (key) => JSON.parse(key)[0] as string))];
  const missing: string[] = [];
  let storedCount = 0;
  for await (const { items } of client(ItemService).exportItems({ environment, itemTypes }, withoutDeadline))
    for (const { json, enabled } of items) {
      if (!enabled) continue;
      storedCount += 1;
      const { item_type, item_id } = JSON.parse(json);
      const key = itemKey({ item_type, item_id })!;
      if (!keys.has(key)) missing.push(JSON.stringify({ item_type, item_id }));
    }
  const percent = (100 * missing.length) / Math.max(1, storedCount);
  if (percent > mostRemoved)
    throw new Error(
      `No item was removed: the feed lacks ${missing.length} of ${storedCount} items (${percent.toFixed(1)} %), more than ${mostRemoved} %. If that is right, raise --most-removed.`,
    );
  if (!dryRun) await disable({ client }, environment, missing);
  return missing.length;
}

async function disable(
  { client }: Pick<Connection, 'client'>,
  environment: string,
  items: readonly string[],
) {
  async function* requests() {
    for (let start = 0; start < items.length; start += itemsPerCall) {
      const batch = items.slice(start, start + itemsPerCall);
      const records = batch.map((value) => ({ form: { case: 'json' as const, value }, enabled: false }));
      yield { environment, items: records, patch: true };
    }
  }
  for await (const { refused } of client(ItemService).importItems(requests(), withoutDeadline))
    if (refused.length > 0)
      throw new Error(`${refused.length} items could not be removed: ${refused[0].details[0].detail}`);
}
