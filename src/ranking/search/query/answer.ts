/** Answers searches: lists of hits, the perfect match, and explanations. */
import type { Catalog } from '../../catalog/catalog.ts';
import { foldTitle } from '../analysis/fold.ts';
import type { TextIndex } from '../index/index.ts';
import { contributionsOf } from '../scoring/contributions.ts';
import { weighSlots } from '../scoring/postings.ts';
import { longestQuery } from '../settings.ts';
import type { VersionedKey } from '../versioned-cache.ts';
import type { DistinctHits } from './distinct-hits.ts';
import { pickTest } from './facets.ts';
import type { FieldLists } from './field-lists.ts';
import { findMixed } from './fusion.ts';
import { createGroupedLists } from './grouped-lists.ts';
import { createHitFinder, type Hit } from './hits.ts';
import { type Admission, both, type ItemTests } from './item-tests.ts';
import { readPrice } from './price-words.ts';
import { createRefiner, type RefinedList, type Refinement } from './refinement.ts';
import { createRequestHits, type UnderstoodRequest } from './request-hits.ts';
import {
  bounded,
  isBrowse,
  type QueryExplanation,
  type ResultList,
  type SearchRequest,
  type SearchResult,
} from './search-request.ts';
import type { Understand, UnderstoodQuery } from './understand.ts';

const longestList = 1_000;
const mostLists = 100;
const usualListCount = 4;
/** Hits in tiers, at least, and beyond the list size: those that a phrase or taste may lift. */
const leastHits = 200;
const spareHits = 100;
/** The same for pages of groups; independent of the page, so that no item is on two. */
const pagedHits = 500;

const poolOf = (listSize: number): number => Math.max(leastHits, listSize + spareHits);

export type AnswererOptions = {
  index: TextIndex;
  catalog: Catalog;
  understand: Understand;
  /** Counts changes that may change how a query is understood. */
  version(): number;
  admission: Admission;
  tests: ItemTests;
  fieldLists: FieldLists;
  distinct: DistinctHits;
};

/**
 * Returns the item with the query as its ID, else the best one with that title. @param firsts the best
 * hit of each list
 */
function perfectMatch(
  { index, catalog }: Pick<AnswererOptions, 'index' | 'catalog'>,
  { request, among: { admits } }: UnderstoodRequest,
  firsts: () => readonly Hit[],
): number | undefined {
  const id = request.q.trim();
  const byId = catalog.indexOfId(id) ?? catalog.indexOfId(id.toLowerCase());
  const picks = request.refinement?.filters ?? [];
  const isPicked = (itemIndex: number) => picks.every((pick) => pickTest(catalog, pick)(itemIndex));
  if (byId !== undefined && admits(byId) && isPicked(byId)) return byId;
  const title = foldTitle(request.q.slice(0, longestQuery));
  const hasTitle = ({ itemIndex }: Hit): boolean => foldTitle(catalog.titleAt(itemIndex) ?? '') === title;
  // Rarely does any item have it.
  return index.titles.find(title, 1).length > 0 ? firsts().find(hasTitle)?.itemIndex : undefined;
}

function explainUnderstood(
  index: TextIndex,
  { query, slots, dropped, corrections }: UnderstoodQuery,
): QueryExplanation {
  const weighted = weighSlots(index, slots);
  const words = slots.map(({ word, alternatives }) => ({
    word,
    alternatives: alternatives.map(({ kind, text, weight }) => ({ kind, text, weight })),
  }));
  return {
    query,
    words,
    dropped,
    corrections,
    contributionsOf(itemIndex) {
      const place = index.placeOf(itemIndex);
      return place ? contributionsOf(index, weighted, place) : [];
    },
  };
}

function listOf(items: Hit[]): ResultList[] {
  return items.length > 0 ? [{ values: [], name: '', items }] : [];
}

function createRefinedLists(
  { index, catalog, admission, tests, distinct }: AnswererOptions,
  findDistinct: ReturnType<typeof createRequestHits>['findDistinct'],
) {
  const refine = createRefiner({ index, catalog, tests });
  /** Found items depend on the query; what the filters leave of them, on the filters and the items. */
  const knownOf = ({ filters }: Refinement): VersionedKey => ({
    key: JSON.stringify(['found', filters]),
    version: filters.length > 0 ? catalog.changes.position : 0,
  });

  return (asked: UnderstoodRequest, refinement: Refinement): RefinedList => {
    const { request, understood } = asked;
    return refine({
      ...refinement,
      hits: findMixed(asked, longestList, { distinct, findDistinct }),
      isBrowse: isBrowse(request),
      query: understood.query,
      slots: understood.slots,
      admitted: admission.admittedBy(request),
      listSize: bounded(request.listSize, longestList),
      prior: request.prior,
      find(isFound, wanted) {
        const pool = catalog.groups.count === 0 ? leastHits : pagedHits;
        const found = { admits: isFound, known: knownOf(refinement) };
        return findDistinct({ ...asked, among: both(found, asked.among) }, pool, wanted);
      },
    });
  };
}

export function createAnswerer(options: AnswererOptions) {
  const { index, catalog, understand, tests, fieldLists, distinct } = options;
  const finder = createHitFinder({ index, catalog });
  const groupedLists = createGroupedLists({ catalog, finder, tests, fieldLists, distinct });
  const { ask, hitRequest, findHits, findDistinct } = createRequestHits({ ...options, finder });
  const refinedOf = createRefinedLists(options, findDistinct);

  const listsOf = (asked: UnderstoodRequest): ResultList[] => {
    const { groupBy = [], listSize: wanted, listCount = usualListCount } = asked.request;
    const listSize = bounded(wanted, longestList);
    if (listSize === 0 || bounded(listCount, mostLists) === 0) return [];
    if (groupBy.length > 0)
      return groupedLists({
        fields: groupBy,
        isBrowse: isBrowse(asked.request),
        listSize,
        listCount: bounded(listCount, mostLists),
        usualHits: poolOf(listSize),
        request: (limit) => hitRequest(asked, limit),
        find: (limit) => findHits(asked, limit),
        nextInGroup: asked.request.nextInGroup,
      });
    const mixed = findMixed(asked, longestList, { distinct, findDistinct });
    return listOf((mixed ?? findDistinct(asked, poolOf(listSize), listSize)).slice(0, listSize));
  };

  const answer = (asked: UnderstoodRequest): SearchResult => {
    const { request, price } = asked;
    const refined = request.refinement && refinedOf(asked, request.refinement);
    const lists = refined ? listOf(refined.items) : listsOf(asked);
    const { corrections, query, dropped } = asked.understood;
    const isFound = refined?.isFound ?? lists.length > 0;
    const firsts = () => refined?.firsts() ?? lists.flatMap(({ items }) => items.slice(0, 1));
    return {
      lists,
      isFound,
      correctedQuery: corrections.length > 0 && isFound ? query : undefined,
      perfectMatch: isBrowse(request) ? undefined : perfectMatch(options, asked, firsts),
      droppedWords: dropped,
      refined: refined && { facets: refined.facets, totalSize: refined.totalSize },
      interpreted: price && { ...price, field: request.priceField! },
    };
  };

  return {
    search(request: SearchRequest): SearchResult {
      const found = answer(ask(request));
      return found.isFound || !found.interpreted ? found : answer(ask(request, false));
    },
    explainQuery: ({
      q,
      autocorrect = true,
      priceField,
    }: Pick<SearchRequest, 'q' | 'autocorrect' | 'priceField'>): QueryExplanation =>
      explainUnderstood(index, understand(q, autocorrect, priceField && readPrice(q)?.text)),
  };
}
