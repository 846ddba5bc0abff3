/** Fields of items in answers. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { DomainError, type Violation } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { type AnswerBudget, createAnswerBudget } from '../chain/answer-size.ts';
import type { Call } from '../chain/call.ts';

type NamedItem = { itemId: string; itemType: string };

/** Fields that an answer shows of its items besides their names. */
export type ShownFields = {
  serving: ServingEnvironment;
  /** Names that the request asks for; those of a stored one may no longer be returned. */
  fields: readonly string[];
  budget?: AnswerBudget;
};

/** Creates the fields of an answer; reading them throws ANSWER_TOO_LARGE at the limit. */
export function shownOf(
  serving: ServingEnvironment,
  fields: readonly string[],
  call: Pick<Call, 'answerBytes'>,
): ShownFields {
  return { serving, fields, budget: createAnswerBudget(call) };
}

/** Returns the environment's information field of an item, with values joined by commas. */
export function informationOf({ itemId, itemType }: NamedItem, shown: ShownFields): string | undefined {
  const { settings, catalog } = shown.serving;
  if (settings.informationField === undefined) return undefined;
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined) return undefined;
  const values = catalog.column(settings.informationField)?.valuesAt(itemIndex) ?? [];
  if (values.length === 0) return undefined;
  const text = values.join(', ');
  shown.budget?.take(text.length);
  return text;
}

/** Returns the title of an item; empty if the item is unknown or has none. */
export function titleOf({ itemId, itemType }: NamedItem, { catalog }: ServingEnvironment): string {
  const itemIndex = catalog.indexOf(itemType, itemId);
  return (itemIndex === undefined ? undefined : catalog.titleAt(itemIndex)) ?? '';
}

/** Returns the requested fields of an item; undefined if none are requested. */
export function fieldsOf(
  { itemId, itemType }: NamedItem,
  { serving, fields, budget }: ShownFields,
): JsonObject | undefined {
  if (fields.length === 0) return undefined;
  const { catalog, settings } = serving;
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined) return undefined;
  const returned = fields.filter((name) => settings.returnedFields.has(name));
  const shown: JsonObject = {};
  for (const name of returned) {
    const value = catalog.shownAt(itemIndex, name);
    if (value === undefined) continue;
    budget?.take(charactersOf(value));
    shown[name] = value as JsonValue;
  }
  return shown;
}

/** Returns at most the bytes of the value as JSON. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce((sum, one) => sum + charactersOf(one), 0) : 0;
}

/** Adds the current size of the item's group. */
export function withGroupSize<Item extends { itemId: string; itemType: string }>(
  item: Item,
  { catalog }: ServingEnvironment,
  nowMs: number,
): Item & { groupSize?: number } {
  const itemIndex = catalog.indexOf(item.itemType, item.itemId);
  const groupSize = itemIndex === undefined ? undefined : catalog.groupSizeAt(itemIndex, nowMs);
  return { ...item, groupSize };
}

/** @param place Pointer to the names, such as `/fields` or `query:fields`. */
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
