/**
 * Selects queries that may be suggested to others: those without contact details, unless the
 * catalogue has them, and without blocked words and phrases.
 */

import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { foldQuery } from '../serving/query-fingerprint.ts';
import { contactsIn } from './contact-text.ts';

export type SearchedQuery = {
  typed: string;
  /** By `foldQuery`. */
  folded: string;
};

/** First items of a query with texts that are read. */
const mostItems = 20;

/** @param itemIndexes found items, best first */
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

/** Returns title, ID and the properties that searches or answers show. */
function textsOf(itemIndex: number, { catalog, settings }: ServingEnvironment): string[] {
  const shown = [...settings.properties.values()]
    .filter(({ returnable, searchWeight }) => returnable || searchWeight !== undefined)
    .flatMap(({ name }) => [catalog.shownAt(itemIndex, name) ?? []].flat());
  return [catalog.titleAt(itemIndex) ?? '', catalog.itemIdAt(itemIndex), ...shown.map(String)];
}

/** Whether a phrase can match anything: it has a letter or digit. */
export function blockable(phrase: string): boolean {
  return /[\p{L}\p{N}]/u.test(foldQuery(phrase));
}

/** Returns a test whether a folded query has one of the phrases. */
export function createBlocklist(phrases: readonly string[]): (folded: string) => boolean {
  const blocked = new Set(phrases.map(foldQuery));
  const longest = Math.max(0, ...Array.from(blocked, (phrase) => phrase.split(' ').length));
  if (longest === 0) return () => false;
  return (folded) => {
    const words = folded.split(' ');
    return words.some((_, start) => {
      for (let end = start + 1; end <= Math.min(words.length, start + longest); end++)
        if (blocked.has(words.slice(start, end).join(' '))) return true;
      return false;
    });
  };
}
