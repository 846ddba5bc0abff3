/** Items of kept lists as answers show them. */

import { DomainError } from '../../errors.ts';
import type { ServingEnvironment } from '../../serving/environment/serving-environment.ts';

/** The environment's information field of an item; several values are joined by commas. */
export function informationOf(
  itemId: string,
  itemType: string,
  { settings, catalog }: ServingEnvironment,
): string | undefined {
  if (settings.informationField === undefined) return undefined;
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined) return undefined;
  const values = catalog.column(settings.informationField)?.valuesAt(itemIndex) ?? [];
  return values.length > 0 ? values.join(', ') : undefined;
}

/** Neither disabled since nor expired; what the catalogue does not know was injected and is the caller's own. */
export function isShowable(
  { itemId, itemType }: { itemId: string; itemType: string },
  { catalog }: ServingEnvironment,
  nowMs: number,
): boolean {
  const itemIndex = catalog.indexOf(itemType, itemId);
  return itemIndex === undefined || catalog.isPresent(itemIndex, nowMs);
}

export function unknownList(listKey: string): DomainError {
  return new DomainError('LIST_UNKNOWN', 'There is no such list, or it has expired.', {
    metadata: { list_key: listKey },
  });
}
