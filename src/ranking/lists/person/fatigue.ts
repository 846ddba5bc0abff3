/** Finds items with repeated impressions since the subject's last click on them. */

import { isClick } from '../../../events/meaning.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { History, HistoryEntry } from '../../history.ts';
import type { ConfigurationSettings } from '../../rules/settings.ts';

type Fatigue = NonNullable<ConfigurationSettings['fatigue']>;

/**
 * Returns catalogue positions to exclude. Counts impressions since the last click, in the window.
 */
export function findTired(
  { entries, impressions }: Pick<History, 'entries' | 'impressions'>,
  { maximumImpressions, windowMs }: Fatigue,
  { catalog, nowMs }: { catalog: Catalog; nowMs: number },
): ReadonlySet<number> {
  const indexOf = ({ itemId, itemType }: HistoryEntry) => catalog.indexOfId(itemId, itemType || undefined);
  const clickedAt = new Map<number, number>();
  for (const entry of entries) {
    const itemIndex = isClick(entry.eventType) ? indexOf(entry) : undefined;
    if (itemIndex === undefined) continue;
    clickedAt.set(itemIndex, Math.max(clickedAt.get(itemIndex) ?? 0, entry.occurredAtSeconds));
  }
  const earliest = (nowMs - windowMs) / 1000;
  const counts = new Map<number, number>();
  const tired = new Set<number>();
  for (const entry of impressions) {
    const itemIndex = indexOf(entry);
    if (itemIndex === undefined) continue;
    if (entry.occurredAtSeconds <= Math.max(earliest, clickedAt.get(itemIndex) ?? 0)) continue;
    const count = (counts.get(itemIndex) ?? 0) + 1;
    counts.set(itemIndex, count);
    if (count >= maximumImpressions) tired.add(itemIndex);
  }
  return tired;
}
