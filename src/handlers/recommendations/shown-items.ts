/** Items of kept lists as answers show them. */

import type { JsonObject } from '@bufbuild/protobuf';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { DomainError, type Violation } from '../../errors.ts';
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

/** What a request has shown of an item; undefined when it names nothing. A kept one may name what is returned no more. */
export function fieldsOf(
  { itemId, itemType }: { itemId: string; itemType: string },
  names: readonly string[],
  { catalog, settings: { returnedFields } }: ServingEnvironment,
): JsonObject | undefined {
  if (names.length === 0) return undefined;
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined) return undefined;
  const returned = names.filter((name) => returnedFields.has(name));
  const shown = returned.map((name) => [name, catalog.shownAt(itemIndex, name)]);
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

/** The item as a page of a kept list shows it: how many of its group there are now. */
export function withGroupSize<Item extends { itemId: string; itemType: string }>(
  item: Item,
  { catalog }: ServingEnvironment,
  nowMs: number,
): Item & { groupSize?: number } {
  const itemIndex = catalog.indexOf(item.itemType, item.itemId);
  const groupSize = itemIndex === undefined ? undefined : catalog.groupSizeAt(itemIndex, nowMs);
  return { ...item, groupSize };
}

/** @param place Where the names stand, such as `/fields` or `query:fields`. */
export function checkFields(
  names: readonly string[],
  { returnedFields }: EnvironmentSettings,
  place = '/fields',
): Violation[] {
  return names.flatMap((name, i) =>
    returnedFields.has(name)
      ? []
      : [
          {
            pointer: place.startsWith('/') ? `${place}/${i}` : place,
            detail: `${JSON.stringify(name)} is not a returned field of the environment.`,
          },
        ],
  );
}

export function unknownList(listKey: string): DomainError {
  return new DomainError('LIST_UNKNOWN', 'There is no such list, or it has expired.', {
    metadata: { list_key: listKey },
  });
}
