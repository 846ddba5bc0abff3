/** Which queries may be suggested to others: none that leads to a person or another site, unless the catalogue has it. */

import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { foldQuery } from '../serving/query-fingerprint.ts';
import { contactsIn } from './contact-text.ts';

export type SearchedQuery = {
  typed: string;
  /** As by `foldQuery`. */
  folded: string;
};

/** Of the items that a query finds; what is part of a title is found first. */
const mostItems = 20;

/** @param itemIndexes What the query finds, the best first. */
export function isSuggestible(
  { typed, folded }: SearchedQuery,
  itemIndexes: readonly number[],
  environment: ServingEnvironment,
): boolean {
  const contacts = new Set([...contactsIn(typed), ...contactsIn(folded)].map(foldQuery));
  if (contacts.size === 0) return true;
  const { catalog } = environment;
  const texts = itemIndexes
    .slice(0, mostItems)
    .flatMap((itemIndex) => textsOf(itemIndex, environment))
    .map((text) => ` ${foldQuery(text)} `);
  return [...contacts].every(
    (contact) =>
      catalog.indexOfId(contact) !== undefined || texts.some((text) => text.includes(` ${contact} `)),
  );
}

/** Title, id and the properties that searches or answers show. */
function textsOf(itemIndex: number, { catalog, settings }: ServingEnvironment): string[] {
  const shown = [...settings.properties.values()]
    .filter(({ returnable, searchWeight }) => returnable || searchWeight !== undefined)
    .flatMap(({ name }) => [catalog.shownAt(itemIndex, name) ?? []].flat());
  return [catalog.titleAt(itemIndex) ?? '', catalog.itemIdAt(itemIndex), ...shown.map(String)];
}
