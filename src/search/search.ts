/**
 * Search of one environment: one index in this process, and the questions it answers.
 *
 * Writes come in by `apply` and are found by the next call. `maintain` is called between requests while it returns true.
 * Documents are in docs/search.md.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Value } from '../catalog/columns.ts';
import { foldTitle } from './analysis/fold.ts';
import { type CompletionHit, createCompleter } from './completion/completion.ts';
import { createCorrector } from './correction/correction.ts';
import { createSortedWords } from './correction/sorted-words.ts';
import { createTextIndex, type ItemDocument } from './index/index.ts';
import { restoreSnapshot, takeSnapshot } from './index/snapshot.ts';
import { browse } from './query/browse.ts';
import { contributionsOf } from './query/contributions.ts';
import type { SearchExplanation } from './query/explain.ts';
import { type Group, type GroupValue, groupHits, groupMatcher } from './query/grouping.ts';
import { createHitFinder, type Hit, type ItemWorth, mostHits } from './query/hits.ts';
import { weighSlots } from './query/postings-of.ts';
import { createSlotReader, type Slot } from './query/slots.ts';
import { createSynonyms } from './query/synonyms.ts';
import { longestQuery, type SearchSettings } from './settings.ts';

export type FieldFilter = { field: string; values: readonly Value[] };

export type SearchRequest = {
  /** What was typed; empty for the visitor's best items. */
  q: string;
  /** Milliseconds since the epoch; what is published later is not found. */
  nowMs: number;
  autocorrect?: boolean;
  /** All must hold; within one, any of the values. An unknown field holds for nothing. */
  filters?: readonly FieldFilter[];
  /** Fields whose values make the lists; none: one list. */
  groupBy?: readonly string[];
  /** Items of a list, at most 1,000. */
  listSize: number;
  listCount?: number;
  /** Popularity and freshness, 0…1. */
  prior?: ItemWorth;
  /** The visitor's own liking, 0…1. */
  taste?: ItemWorth;
  /** A further condition, such as a remembered set of a filter; asked only of would-be winners. */
  admits?: (itemIndex: number) => boolean;
};

export type ResultList = { values: GroupValue[]; name: string; items: Hit[] };

export type SearchResult = {
  /** In the order of their best items. */
  lists: ResultList[];
  /** The query that was used, when it is not the typed one. */
  correctedQuery?: string;
  /** The item whose id or folded title is the query. */
  perfectMatch?: number;
  /** Typed words that the catalogue does not know. */
  droppedWords: string[];
};

type Conditions = Pick<SearchRequest, 'nowMs' | 'filters' | 'admits'>;

export type CompletionRequest = Conditions & {
  q: string;
  taste?: ItemWorth;
  limit: number;
  /** Most edits per word, 0…2. */
  fuzziness?: number;
};

export type SearchIndex = {
  /** Items that can be found. */
  readonly documentCount: number;
  /** Grows with every change; a reader that remembers it knows whether anything changed. */
  readonly revision: number;
  /** Takes an item's document, or forgets the item when there is none. */
  apply(itemIndex: number, document: ItemDocument | undefined): void;
  /** Takes many at once, in slices of a few milliseconds; to be run to its end. */
  load(entries: Iterable<readonly [itemIndex: number, document: ItemDocument]>): Generator<void>;
  /** One slice of background work; true while there is more. */
  maintain(): boolean;
  search(request: SearchRequest): SearchResult;
  complete(request: CompletionRequest): CompletionHit[];
  /** Why an item is a result of the request; undefined when it is none. */
  explain(request: SearchRequest, itemIndex: number): SearchExplanation | undefined;
  snapshot(): ArrayBuffer;
  /** Before anything is applied; false when the snapshot does not fit this version. */
  restore(snapshot: ArrayBuffer): boolean;
};

export type SearchIndexOptions = {
  catalog: Catalog;
  settings: SearchSettings;
  /** 0…1 by item; orders completions, read when the index is merged. */
  popularity?: ItemWorth;
};

const longestList = 1_000;
const mostLists = 100;
/** Hits that are put into tiers and reordered, at least and beyond those asked for: what a phrase or taste may lift. */
const leastHits = 200;
const spareHits = 100;
/** Hits that are split into lists. */
const groupedHits = mostHits;

type Understood = {
  query: string;
  slots: Slot[];
  dropped: string[];
  corrections: { from: string; to: string }[];
};

export function createSearchIndex({
  catalog,
  settings,
  popularity = () => 0,
}: SearchIndexOptions): SearchIndex {
  const index = createTextIndex({
    settings,
    follower: {
      added: (segment, ordinal) => completer.added(segment, ordinal),
      merged: (segment, words) => completer.merged(segment, words),
    },
  });
  const sortedWords = createSortedWords(index.words);
  const completer = createCompleter({ index: () => index, sortedWords, popularity });
  const analyser = index.analyserOf(settings.defaultLanguage);
  const synonyms = createSynonyms(settings.synonyms, analyser.termOf);
  const reader = createSlotReader({ index, analyser, synonyms });
  const finder = createHitFinder({ index, catalog });
  const corrector = createCorrector({
    words: sortedWords,
    frequencyOf: (word) => reader.termsOf(word).reduce((sum, term) => sum + index.documentFrequency(term), 0),
  });

  const admission = ({ nowMs, filters = [], admits }: Conditions): ((itemIndex: number) => boolean) => {
    const matchers = filters.map(({ field, values }) => catalog.column(field)?.matcher({ oneOf: values }));
    if (matchers.length === 0 && !admits) return (itemIndex) => catalog.servable(itemIndex, nowMs);
    return (itemIndex) =>
      catalog.servable(itemIndex, nowMs) &&
      matchers.every((matches) => matches?.(itemIndex) ?? false) &&
      (admits?.(itemIndex) ?? true);
  };

  /** Replaces words that nothing in the catalogue stands for. */
  const correctWords = (words: readonly string[], slots: readonly Slot[]): Understood['corrections'] => {
    const unknown = new Set(slots.filter((slot) => slot.alternatives.length === 0).map((slot) => slot.word));
    return words.flatMap((from) => {
      const best = unknown.has(from) ? corrector.candidates(from, 1)[0] : undefined;
      return best ? [{ from, to: best.word }] : [];
    });
  };

  const understand = (query: string, autocorrect: boolean): Understood => {
    const words = reader.wordsOf(query);
    const slots = reader.slotsOf(words);
    const corrections = autocorrect ? correctWords(words, slots) : [];
    const replaced = words.map((word) => corrections.find(({ from }) => from === word)?.to ?? word);
    const used = corrections.length > 0 ? reader.slotsOf(replaced) : slots;
    return {
      query: corrections.length > 0 ? replaced.join(' ') : query,
      slots: used.filter((slot) => slot.alternatives.length > 0),
      dropped: used.filter((slot) => slot.alternatives.length === 0).map((slot) => slot.word),
      corrections,
    };
  };

  const findHits = (
    request: SearchRequest,
    understood: Understood,
    limit: number,
    admits: (itemIndex: number) => boolean,
  ): { hits: Hit[]; isComplete: boolean } => {
    const { query, slots } = understood;
    const { prior, taste } = request;
    if (isBrowse(request)) return browse({ catalog, limit, admits, prior, taste });
    return finder.find({ query, slots, limit, admits, prior, taste });
  };

  /** Fills up lists that the common limit has cut short. */
  const fillGroup = (
    group: Group,
    request: SearchRequest,
    understood: Understood,
    admits: (itemIndex: number) => boolean,
    listSize: number,
  ): void => {
    if (group.hits.length >= listSize) return;
    const isInGroup = groupMatcher(catalog, request.groupBy!, group);
    const own = (itemIndex: number): boolean => admits(itemIndex) && isInGroup(itemIndex);
    group.hits = findHits(request, understood, Math.max(leastHits, listSize + spareHits), own).hits;
  };

  const listsOf = (request: SearchRequest, understood: Understood): ResultList[] => {
    const admits = admission(request);
    const listSize = bounded(request.listSize, longestList);
    const listCount = bounded(request.listCount ?? 4, mostLists);
    const groupBy = request.groupBy ?? [];
    if (listSize === 0 || listCount === 0) return [];
    if (groupBy.length === 0) {
      const { hits } = findHits(request, understood, Math.max(leastHits, listSize + spareHits), admits);
      return hits.length > 0 ? [{ values: [], name: '', items: hits.slice(0, listSize) }] : [];
    }
    const { hits, isComplete } = findHits(request, understood, groupedHits, admits);
    const groups = groupHits(catalog, groupBy, hits, listCount);
    if (!isComplete) for (const group of groups) fillGroup(group, request, understood, admits, listSize);
    return groups.map(({ values, name, hits: items }) => ({ values, name, items: items.slice(0, listSize) }));
  };

  /** An item whose id is the query, else the best one with that title. */
  const perfectMatch = (request: SearchRequest, lists: readonly ResultList[]): number | undefined => {
    const byId = catalog.indexOfId(request.q.trim());
    if (byId !== undefined && admission(request)(byId)) return byId;
    const title = foldTitle(request.q.slice(0, longestQuery));
    if (title === '') return undefined;
    const exact = lists
      .flatMap(({ items }) => items.slice(0, 1))
      .find(({ itemIndex }) => foldTitle(catalog.titleAt(itemIndex) ?? '') === title);
    return exact?.itemIndex;
  };

  const isBrowse = ({ q }: SearchRequest): boolean => q.trim() === '';

  const understandRequest = (request: SearchRequest): Understood =>
    understand(request.q.slice(0, longestQuery), request.autocorrect ?? true);

  return {
    get documentCount() {
      return index.documentCount;
    },
    get revision() {
      return index.revision;
    },
    apply: index.apply,
    load: index.load,
    maintain: index.maintain,
    search(request) {
      const understood = understandRequest(request);
      const lists = listsOf(request, understood);
      const isCorrected = understood.corrections.length > 0 && lists.length > 0;
      return {
        lists,
        correctedQuery: isCorrected ? understood.query : undefined,
        perfectMatch: isBrowse(request) ? undefined : perfectMatch(request, lists),
        droppedWords: understood.dropped,
      };
    },
    complete({ q, limit, fuzziness = 0, taste, ...rest }) {
      const admits = admission(rest);
      return completer.complete({
        q,
        limit: bounded(limit, 100),
        fuzziness: bounded(fuzziness, 2),
        taste,
        admits,
      });
    },
    explain(request, itemIndex) {
      const understood = understandRequest(request);
      const place = index.placeOf(itemIndex);
      if (!place || isBrowse(request)) return undefined;
      const { hits } = findHits(request, understood, mostHits, admission(request));
      const hit = hits.find((one) => one.itemIndex === itemIndex);
      if (!hit) return undefined;
      const contributions = contributionsOf(index, weighSlots(index, understood.slots), place);
      const { slots, dropped, corrections } = understood;
      const words = slots.map(({ word }) => word);
      const { tier, score, text, feedback, prior, taste } = hit;
      return { words, dropped, corrections, tier, score, text, contributions, feedback, prior, taste };
    },
    snapshot: () => takeSnapshot(index),
    restore: (snapshot) => restoreSnapshot(index, snapshot),
  };
}

/** A whole number from 0 to `most`; NaN is 0. */
function bounded(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.floor(value) || 0));
}
