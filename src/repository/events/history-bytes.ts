/** Bytes that a history takes in memory, estimated: what caches of histories are bounded by. */

import { textBytes } from '../../runtime/cache.ts';
import type { History } from './histories.ts';

const bytesOfHistory = 300;
const bytesPerEntry = 150;

export function historyBytes(
  history: Pick<History, 'entries' | 'impressions' | 'consumed'> | undefined,
): number {
  if (!history) return 0;
  let bytes = bytesOfHistory;
  for (const entries of [history.entries, history.impressions, history.consumed])
    for (const { itemId } of entries) bytes += bytesPerEntry + textBytes(itemId);
  return bytes;
}
