/** The part of a rule set's document that applies to searches. */

import { type Document, type Json, type JsonObject, readPreference } from './document.ts';

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

export type Arrangement = Pick<SearchRules, 'pins' | 'hides'>;

/** Pins and hides of a rule set, of searches or of lists. */
export const arrangementOf = (document: Document): Arrangement =>
  searchRulesOf(document) ?? (document as unknown as Arrangement);

export function withArrangement(document: Document, { pins, hides }: Arrangement): Document {
  const changes = { ...(pins && { pins }), ...(hides && { hides }) };
  const rules = searchRulesOf(document);
  if (rules) return withSearchRules(document, changed(rules, changes));
  const { pins: _, hides: __, ...others } = document;
  const { pins: before, hides: hidden } = arrangementOf(document);
  const arranged: Arrangement = changed({ pins: before, hides: hidden }, changes);
  return { ...others, ...(arranged as JsonObject) };
}

/** Whether two references name the same item; a reference without a type fits any type. */
export const isSameItem = (one: NamedItem, other: NamedItem): boolean =>
  one.item_id === other.item_id && (!one.item_type || !other.item_type || one.item_type === other.item_type);

const lastRank = 100;

/** Pins an item at a rank; pins from there on make room, and those beyond the last rank end. */
export function pinnedAt(document: Document, item: NamedItem, rank: number): Document {
  const { pins = [], hides = [] } = arrangementOf(document);
  let next = rank;
  const moved = pins
    .filter((pin) => !isSameItem(pin, item))
    .sort((a, b) => a.rank - b.rank)
    .map((pin) => {
      if (pin.rank !== next) return pin;
      next += 1;
      return { ...pin, rank: next };
    });
  const all = [...moved, { ...item, rank }].filter((pin) => pin.rank <= lastRank);
  return withArrangement(document, {
    pins: all.sort((a, b) => a.rank - b.rank),
    hides: hides.filter((one) => !isSameItem(one, item)),
  });
}

export const unpinned = (document: Document, item: NamedItem): Document =>
  withArrangement(document, {
    pins: (arrangementOf(document).pins ?? []).filter((pin) => !isSameItem(pin, item)),
  });

export function hiddenFrom(document: Document, item: NamedItem): Document {
  const { hides = [] } = arrangementOf(document);
  return withArrangement(unpinned(document, item), {
    hides: [...hides.filter((one) => !isSameItem(one, item)), item],
  });
}

export const unhidden = (document: Document, item: NamedItem): Document =>
  withArrangement(document, {
    hides: (arrangementOf(document).hides ?? []).filter((one) => !isSameItem(one, item)),
  });

/** Whether a preference is about this one item. */
function isAbout(json: Json, itemId: string): boolean {
  const { key, tests } = readPreference(json).condition;
  const [test] = tests;
  if (key !== 'item_id' || tests.length !== 1 || test.kind !== 'compare') return false;
  const [operand] = test.operands;
  return test.operands.length === 1 && !test.isNegated && 'value' in operand && operand.value === itemId;
}

/** Weight of the preference for one item; 0 without one. */
export const weightOfItem = ({ preferences = [] }: Document, itemId: string): number => {
  const own = preferences.find((json) => isAbout(json, itemId));
  return own === undefined ? 0 : readPreference(own).weight;
};

/** Boosts or buries one item; a weight of 0 removes the preference. */
export function weighted(document: Document, itemId: string, weight: number): Document {
  const others = (document.preferences ?? []).filter((json) => !isAbout(json, itemId));
  const own = { query: { key: 'item_id', match: itemId }, weight };
  return { ...document, preferences: weight === 0 ? others : [...others, own] };
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
