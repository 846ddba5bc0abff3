/** Limits the total size of a request, in addition to the limits of its fields. */

import type { LimitSettings } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';

type SizeLimits = Pick<LimitSettings, 'itemsPerRequest' | 'historyEntriesPerRequest'>;

type Histories = Record<string, { items: readonly unknown[] }>;

export function checkHistories(
  histories: Histories,
  { historyEntriesPerRequest: most }: SizeLimits,
): Violation[] {
  const count = Object.values(histories).reduce((sum, { items }) => sum + items.length, 0);
  if (count <= most) return [];
  return [{ pointer: '/histories', detail: `Has ${count} entries. At most ${most} are allowed together.` }];
}

export function checkListSizes(
  lists: readonly { listSize?: number }[],
  { itemsPerRequest: most }: SizeLimits,
): Violation[] {
  const count = lists.reduce((sum, { listSize = 0 }) => sum + listSize, 0);
  if (count <= most) return [];
  return [{ pointer: '/lists', detail: `Asks for ${count} items. At most ${most} are allowed together.` }];
}
