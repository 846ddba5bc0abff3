/** Items of kept lists as answers show them. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { DomainError, type Violation } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { type AnswerBudget, createAnswerBudget } from '../chain/answer-size.ts';
import type { Call } from '../chain/call.ts';

type NamedItem = { itemId: string; itemType: string };

/** What an answer shows of its items beside their names. */
export type ShownFields = {
  serving: ServingEnvironment;
  /** Names that the request asks for; a kept request may name what is returned no more. */
  fields: readonly string[];
  budget?: AnswerBudget;
};

/** @throws ANSWER_TOO_LARGE, later, from what shows an item with which the answer is too large. */
export function shownOf(
  serving: ServingEnvironment,
  fields: readonly string[],
  call: Pick<Call, 'answerBytes'>,
): ShownFields {
  return { serving, fields, budget: createAnswerBudget(call) };
}

/** The environment's information field of an item; several values are joined by commas. */
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

/** What a request has shown of an item; undefined when it names nothing. */
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

/** At most as many as the bytes of the value as JSON. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce((sum, one) => sum + charactersOf(one), 0) : 0;
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
