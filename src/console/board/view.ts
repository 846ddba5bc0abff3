/** Subject of the board: a placement, a query or a category, as seen by a visitor. */

import type { ConfigurationSummary } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document, JsonObject } from '../grammar/document.ts';
import { readSetup, type Setup } from '../lists/setup.ts';
import { t } from '../texts/texts.ts';

export const places = { list: t('Placement'), query: t('Query'), category: t('Category page') };
export type Place = keyof typeof places;

export type ViewKey = 'place' | 'list' | 'q' | 'category' | 'rules' | keyof Setup;

export type View = {
  place: Place;
  q: string;
  category: string;
  /** The rule set that changes go to; empty without a query or category. */
  configurationId: string;
  /** Whether it has been published. */
  isKnown: boolean;
  setup: Setup;
};

/** ID of the rule set that the board creates for a query or category. */
const idOf = (place: Place, text: string): string =>
  `${place}-${text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')}`.slice(0, 256);

export function readView(
  values: Partial<Record<ViewKey, string>>,
  summaries: readonly ConfigurationSummary[],
): View {
  const place: Place = Object.hasOwn(places, values.place ?? '') ? (values.place as Place) : 'list';
  const { q = '', category = '' } = values;
  const lists = summaries.filter(({ search }) => !search).map((one) => one.configurationId);
  const list = values.list || (lists.includes('home') ? 'home' : (lists[0] ?? ''));
  const text = place === 'query' ? q : category;
  const ofSearch = text.trim() && (values.rules || idOf(place, text));
  const configurationId = place === 'list' ? list : ofSearch;
  return {
    ...{ place, q, category, configurationId },
    isKnown: summaries.some((one) => one.configurationId === configurationId),
    setup: { ...readSetup(values, '', list), configurations: [list] },
  };
}

/** A new rule set for the query or category. */
export function templateOf({ place, q, category }: View, environment: string): Document {
  const when: JsonObject =
    place === 'query' ? { queries: [{ exact: q.trim() }] } : { categories: [category.trim()] };
  return { environments: [environment], search: { when } };
}
