/** Answers a search: lists of hits, the perfect match, and explanations. */
import type { Catalog } from '../../catalog/catalog.ts';
import { foldTitle } from '../analysis/fold.ts';
import type { TextIndex } from '../index/index.ts';
import { contributionsOf } from '../scoring/contributions.ts';
import { weighSlots } from '../scoring/postings-of.ts';
import { longestQuery } from '../settings.ts';
import { browse } from './browse.ts';
import type { QueryExplanation, SearchExplanation } from './explain.ts';
import { type Group, groupHits, groupMatcher } from './grouping.ts';
import { createHitFinder, type Hit, mostHits } from './hits.ts';
import {
  admission,
  bounded,
  isBrowse,
  type ResultList,
  type SearchRequest,
  type SearchResult,
} from './request.ts';
import type { Understand, Understood } from './understand.ts';

const longestList = 1_000;
const mostLists = 100;
const usualListCount = 4;
/** Hits that are put into tiers and reordered, at least and beyond those asked for: what a phrase or taste may lift. */
const leastHits = 200;
const spareHits = 100;

export type Answerer = {
  search(request: SearchRequest): SearchResult;
  /** Undefined when the item is no result. */
  explain(request: SearchRequest, itemIndex: number): SearchExplanation | undefined;
  explainQuery(request: Pick<SearchRequest, 'q' | 'autocorrect'>): QueryExplanation;
};

export type AnswererOptions = { index: TextIndex; catalog: Catalog; understand: Understand };

type Asked = { request: SearchRequest; understood: Understood; admits: (itemIndex: number) => boolean };

export function createAnswerer({ index, catalog, understand }: AnswererOptions): Answerer {
  const finder = createHitFinder({ index, catalog });

  const ask = (request: SearchRequest): Asked => ({
    request,
    understood: understand(request.q, request.autocorrect ?? true),
    admits: admission(catalog, request),
  });

  const findHits = (
    { request, understood, admits }: Asked,
    limit: number,
  ): { hits: Hit[]; isComplete: boolean } => {
    const { prior, taste, clicksOf } = request;
    if (isBrowse(request)) return browse({ catalog, limit, admits, prior, taste });
    const { query, slots } = understood;
    return finder.find({ query, slots, limit, admits, prior, taste, clicks: clicksOf?.(query) });
  };

  const poolOf = (listSize: number): number => Math.max(leastHits, listSize + spareHits);

  /** The hits of a list that the common limit has cut short. */
  const refilled = (asked: Asked, group: Group, listSize: number): Hit[] => {
    if (group.hits.length >= listSize) return group.hits;
    const isInGroup = groupMatcher(catalog, asked.request.groupBy!, group);
    const admits = (itemIndex: number): boolean => asked.admits(itemIndex) && isInGroup(itemIndex);
    return findHits({ ...asked, admits }, poolOf(listSize)).hits;
  };

  const groupedLists = (asked: Asked, fields: readonly string[], listSize: number): ResultList[] => {
    const { hits, isComplete } = findHits(asked, mostHits);
    const listCount = bounded(asked.request.listCount ?? usualListCount, mostLists);
    return groupHits(catalog, fields, hits, listCount).map((group) => {
      const items = isComplete ? group.hits : refilled(asked, group, listSize);
      return { values: group.values, name: group.name, items: items.slice(0, listSize) };
    });
  };

  const listsOf = (asked: Asked): ResultList[] => {
    const { groupBy = [], listSize: wanted, listCount = usualListCount } = asked.request;
    const listSize = bounded(wanted, longestList);
    if (listSize === 0 || bounded(listCount, mostLists) === 0) return [];
    if (groupBy.length > 0) return groupedLists(asked, groupBy, listSize);
    const { hits } = findHits(asked, poolOf(listSize));
    return hits.length > 0 ? [{ values: [], name: '', items: hits.slice(0, listSize) }] : [];
  };

  /** The item whose id is the query, else the best one with that title. */
  const perfectMatch = ({ request, admits }: Asked, lists: readonly ResultList[]): number | undefined => {
    const id = request.q.trim();
    const byId = catalog.indexOfId(id) ?? catalog.indexOfId(id.toLowerCase());
    if (byId !== undefined && admits(byId)) return byId;
    const title = foldTitle(request.q.slice(0, longestQuery));
    const hasTitle = ({ itemIndex }: Hit): boolean => foldTitle(catalog.titleAt(itemIndex) ?? '') === title;
    if (title === '') return undefined;
    return lists.flatMap(({ items }) => items.slice(0, 1)).find(hasTitle)?.itemIndex;
  };

  return {
    search(request) {
      const asked = ask(request);
      const lists = listsOf(asked);
      const { corrections, query, dropped } = asked.understood;
      return {
        lists,
        correctedQuery: corrections.length > 0 && lists.length > 0 ? query : undefined,
        perfectMatch: isBrowse(request) ? undefined : perfectMatch(asked, lists),
        droppedWords: dropped,
      };
    },
    explain(request, itemIndex) {
      const asked = ask(request);
      const place = index.placeOf(itemIndex);
      if (!place || isBrowse(request)) return undefined;
      const hit = findHits(asked, poolOf(bounded(request.listSize, longestList))).hits.find(
        (one) => one.itemIndex === itemIndex,
      );
      if (!hit) return undefined;
      const { slots, dropped, corrections } = asked.understood;
      const contributions = contributionsOf(index, weighSlots(index, slots), place);
      const { itemIndex: _, ...parts } = hit;
      return { words: slots.map(({ word }) => word), dropped, corrections, contributions, ...parts };
    },
    explainQuery({ q, autocorrect = true }) {
      const { query, slots, dropped, corrections } = understand(q, autocorrect);
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
    },
  };
}
