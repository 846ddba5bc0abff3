/** The history of a subject, as ranking reads it. */

import { textBytes } from './runtime/cache.ts';

export type HistoryEntry = {
  eventType: string;
  itemType: string;
  itemId: string;
  occurredAtSeconds: number;
  /** Where its item is in the catalogue and what it makes of it, as `person.ts` notes; absent until it looked. */
  place?: number;
};

export type History = {
  /** Of the device and of the user together; a repeated event stands repeatedly. */
  entries: HistoryEntry[];
  /** What the user was shown; empty when it was not asked for. */
  impressions: HistoryEntry[];
  /** What goes beyond the entries of a user or device, for what was consumed long ago; in no order, and some repeatedly. */
  consumed: HistoryEntry[];
  /** The user whose history this device's is read with: the last one seen with it, else one who is claimed. */
  linkedUser?: string;
  /** The same unless claimed. */
  owner?: string;
  /** Another one after every change of what the lookup found. */
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
