/** What a search is asked and what it answers. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Matcher, Value } from '../../catalog/columns.ts';
import type { GroupValue } from './grouping.ts';
import type { Hit, ItemWorth } from './hits.ts';
import type { RememberedTests } from './remembered-tests.ts';

export type FieldFilter = { field: string; values: readonly Value[] };

/** Which items may be found at all. */
export type Conditions = {
  /** Milliseconds since the epoch; what is published later is not found. */
  nowMs: number;
  /** All must hold; within one, any of the values. An unknown field holds for nothing. */
  filters?: readonly FieldFilter[];
  /** A further condition, such as a remembered set of a filter; asked only of would-be winners. */
  admits?: (itemIndex: number) => boolean;
};

export type SearchRequest = Conditions & {
  /** What was typed; empty for the visitor's best items. */
  q: string;
  /** Whether words that the catalogue does not know are corrected [true]. */
  autocorrect?: boolean;
  /** Fields whose values make the lists; none: one list. */
  groupBy?: readonly string[];
  /** Items of a list, at most 1,000. */
  listSize: number;
  /** At most 100 [4]. */
  listCount?: number;
  /** Popularity and freshness, 0…1. */
  prior?: ItemWorth;
  /** The visitor's own liking, 0…1. */
  taste?: ItemWorth;
  /** Given the query that is used: how much more (or less) than expected its finders clicked an item, -1…1. */
  clicksOf?: (query: string) => ItemWorth | undefined;
};

export type ResultList = { values: GroupValue[]; name: string; items: Hit[] };

export type SearchResult = {
  /** In the order of their best items; none when nothing is found. */
  lists: ResultList[];
  /** The query that was used, when it is not the typed one. */
  correctedQuery?: string;
  /** The item whose id or folded title is the query. */
  perfectMatch?: number;
  /** Typed words that the catalogue does not know. */
  droppedWords: string[];
};

export type CompletionRequest = Conditions & {
  q: string;
  /** At most 100. */
  limit: number;
  /** Most edits per word, 0…2 [0]. */
  fuzziness?: number;
  taste?: ItemWorth;
};

export type Admission = (conditions: Conditions) => (itemIndex: number) => boolean;

/** The conditions as one test. */
export function createAdmission(catalog: Catalog, tests: RememberedTests): Admission {
  const never = (): boolean => false;
  const testOf = ({ field, values }: FieldFilter): Matcher =>
    tests.get(
      JSON.stringify([field, values]),
      () => catalog.column(field)?.matcher({ oneOf: values }) ?? never,
    );
  return ({ nowMs, filters = [], admits }) => {
    const matchers = filters.map(testOf);
    if (matchers.length === 0 && !admits) return (itemIndex) => catalog.servable(itemIndex, nowMs);
    return (itemIndex) =>
      matchers.every((matches) => matches(itemIndex)) &&
      catalog.servable(itemIndex, nowMs) &&
      (admits?.(itemIndex) ?? true);
  };
}

export function isBrowse({ q }: SearchRequest): boolean {
  return q.trim() === '';
}

/** A whole number from 0 to `most`; NaN is 0. */
export function bounded(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.floor(value) || 0));
}
