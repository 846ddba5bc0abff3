/** The history of a subject, in the form that ranking uses. */

import { textBytes } from './runtime/cache.ts';

export type HistoryEntry = {
  eventType: string;
  /** Content of the event besides its type; see `qualifierOf` in events/meaning.ts. */
  qualifier?: string;
  itemType: string;
  itemId: string;
  occurredAtSeconds: number;
  /** Cached lookup of its item in the catalogue, written by `person.ts`; absent before. */
  place?: number;
};

export type History = {
  /** Events of the device and the user; repeated events are repeated. */
  entries: HistoryEntry[];
  /** Impressions; empty unless requested. */
  impressions: HistoryEntry[];
  /** Older events that may have consumed items, beyond `entries`; in no order, with repetitions. */
  consumed: HistoryEntry[];
  /** User with a history that completes the device's: the linked one, else a claimed one. */
  linkedUser?: string;
  /** The linked user, if not only claimed. */
  owner?: string;
  /** Changes with every change of the stored history. */
  version: string;
};

const bytesOfHistory = 300;
const bytesPerEntry = 150;

/** Estimates the bytes that a history takes in memory. */
export function historyBytes(
  history: Pick<History, 'entries' | 'impressions' | 'consumed'> | undefined,
): number {
  if (!history) return 0;
  let bytes = bytesOfHistory;
  for (const entries of [history.entries, history.impressions, history.consumed])
    for (const { itemId } of entries) bytes += bytesPerEntry + textBytes(itemId);
  return bytes;
}
