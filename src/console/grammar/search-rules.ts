/** The part of a rule set's document that applies to searches. */

import type { Document, Json, JsonObject } from './document.ts';

export const queryForms = ['exact', 'contains', 'pattern'] as const;
export type QueryForm = (typeof queryForms)[number];

/** Has exactly one form, with its text. */
export type QueryTest = Partial<Record<QueryForm, string>>;

export type SearchWhen = {
  queries?: QueryTest[];
  categories?: string[];
  page_types?: string[];
  languages?: string[];
  audience_ids?: string[];
};

export type NamedItem = { item_id: string; item_type?: string };
export type Pin = NamedItem & { rank: number };

export type SearchRules = {
  environments?: string[];
  when?: SearchWhen;
  priority?: number;
  places?: number;
  pins?: Pin[];
  hides?: NamedItem[];
  redirect?: string;
  promoted_content?: JsonObject[];
};

/** Undefined for a rule set of lists. */
export function searchRulesOf({ search }: Document): SearchRules | undefined {
  return typeof search === 'object' && search !== null ? (search as SearchRules) : undefined;
}

/** Whether search rules name no environment, so that they change the searches of every site. */
export function steersAllSites(document: Document): boolean {
  const rules = searchRulesOf(document);
  return rules !== undefined && isEmpty(rules.environments) && isEmpty(document.environments);
}

export const withSearchRules = (document: Document, rules: SearchRules): Document => ({
  ...document,
  search: rules as JsonObject,
});

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

/** Applies changes and omits empty members. */
export function changed<Part extends object>(part: Part, changes: Partial<Part>): Part {
  const entries = Object.entries({ ...part, ...changes }).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(entries) as Part;
}

export const formOf = (test: QueryTest): QueryForm =>
  queryForms.find((form) => test[form] !== undefined) ?? 'exact';

/** First position without a pin. */
export function freeRank(pins: readonly Pin[]): number {
  const taken = new Set(pins.map(({ rank }) => rank));
  let rank = 1;
  while (taken.has(rank)) rank += 1;
  return rank;
}

/** Member of a banner as editable text. */
export const memberText = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
