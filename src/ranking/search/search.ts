/**
 * The search of one environment: an index in this process, and the questions it answers. Other
 * modules import this file alone.
 *
 * Writes arrive by `apply` and are found by the next call; call `maintain` between requests while
 * it returns true. Ranking, correction and completion are documented in docs/search.md.
 */
import type { Catalog } from '../catalog/catalog.ts';
import { type Completer, type CompletionHit, createCompleter } from './completion/completion.ts';
import { createSortedWords } from './correction/sorted-words.ts';
import { createMeasures } from './expansion/codes-and-measures.ts';
import { createCompounds, otherWords } from './expansion/compounds.ts';
import { createSynonyms } from './expansion/synonyms.ts';
import { createTextIndex, type ItemDocument, type TextIndex } from './index/index.ts';
import { restoreSnapshot, takeSnapshot } from './index/snapshot.ts';
import { createAnswerer } from './query/answer.ts';
import { createDistinctHits, type DistinctHits } from './query/distinct-hits.ts';
import { createFieldLists } from './query/field-lists.ts';
import type { ItemWorth } from './query/hits.ts';
import { createAdmission, createItemTests, type ItemFilter } from './query/item-tests.ts';
import { bounded, type CompletionRequest } from './query/search-request.ts';
import { createSlotReader } from './query/slot-reader.ts';
import { createUnderstanding } from './query/understand.ts';
import type { SearchSettings } from './settings.ts';

export { foldTitle } from './analysis/fold.ts';
export type { CompletionHit } from './completion/completion.ts';
export { isWithin, rangeNamed } from './query/facet-counts.ts';
export { type Facet, type FacetFilter, pickTest } from './query/facets.ts';
export { type Hit, type ItemWorth, unrankedHit } from './query/hits.ts';
export type { FieldFilter } from './query/item-tests.ts';
export type { Refinement } from './query/refinement.ts';
export type {
  CompletionRequest,
  QueryExplanation,
  ResultList,
  SearchRequest,
  SearchResult,
} from './query/search-request.ts';
export type { SearchField, SearchSettings, Synonym } from './settings.ts';

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export type SearchIndexOptions = {
  catalog: Catalog;
  settings: SearchSettings;
  /** Popularity by item, 0…1; orders completions, read when the index is merged. */
  popularity?: ItemWorth;
  /**
   * Returns the successful searches by folded word, which favour corrections; a new map whenever it
   * changes.
   */
  usage?: () => ReadonlyMap<string, number>;
};

/** Documents read between two yields of a load: about 2 ms. */
const documentsPerSlice = 20;
const mostCompletions = 100;
const mostFuzziness = 2;

const noUsage: ReadonlyMap<string, number> = new Map();

/** The parts of an index, which follow each other's changes. */
function createParts({ catalog, settings, popularity = () => 0, usage = () => noUsage }: SearchIndexOptions) {
  const index = createTextIndex({
    settings,
    follower: {
      added: (segment, ordinal) => completer.added(segment, ordinal),
      *merged(segment, words) {
        yield* compounds.settle();
        yield* measures.settle();
        yield* completer.merged(segment, words);
      },
      reorder: (segment) => completer.reorder(segment),
    },
  });
  const sortedWords = createSortedWords(index.words);
  const completer = createCompleter({
    index: () => index,
    sortedWords,
    popularity,
    otherWords: (words) => otherWords(words, index, compounds),
  });
  const analyser = index.analyserOf(settings.defaultLanguage);
  const synonyms = createSynonyms(settings.synonyms, analyser);
  const compounds = createCompounds(index);
  const measures = createMeasures(index.words);
  const reader = createSlotReader({ index, analyser, synonyms, compounds, measures, sortedWords });
  const understand = createUnderstanding({ index, reader, sortedWords, usage });
  const usageVersion = createIdentityVersion(usage);
  const tests = createItemTests(catalog);
  const admission = createAdmission(catalog, tests);
  const distinct = createDistinctHits(catalog);
  const answerer = createAnswerer({
    distinct,
    index,
    catalog,
    understand,
    version: () => index.revision + synonyms.revision + usageVersion(),
    admission,
    tests,
    fieldLists: createFieldLists(catalog, index),
  });

  return { index, completer, synonyms, compounds, measures, admission, distinct, answerer };
}

export function createSearchIndex(options: SearchIndexOptions) {
  const { settings } = options;
  const { index, completer, synonyms, compounds, measures, admission, distinct, answerer } =
    createParts(options);

  return {
    /** Items that can be found. */
    get documentCount(): number {
      return index.documentCount;
    },
    /** Documents with texts that were analysed, not taken from a snapshot or already known. */
    get analysedCount(): number {
      return index.analysedCount;
    },
    apply: index.apply,
    /** Takes many documents, in slices to be run to the end; then all of them are found. */
    load: (entries: Iterable<readonly [itemIndex: number, document: ItemDocument]>) => load(index, entries),
    maintain: index.maintain,
    search: answerer.search,
    /** Returns how a query is understood; valid until the next write. */
    explainQuery: answerer.explainQuery,
    complete: (request: CompletionRequest): CompletionHit[] =>
      completed(request, completer, distinct, admission.amongOf(request)),
    /** Synonym rules; those of the settings are there from the start. */
    synonyms,
    fill: index.fill,
    adopt: index.adopt,
    settle: index.settle,
    *catchUp(): Generator<void> {
      yield* index.catchUp();
      yield* compounds.settle();
      yield* measures.settle();
    },
    reorder: index.reorder,
    /** The searched fields and the default language; a snapshot of another shape must not be restored. */
    shape: JSON.stringify([settings.defaultLanguage, index.fields.map(({ name }) => name)]),
    /** Merges everything, and returns the index as bytes in parts. In slices; writes may go on meanwhile. */
    *snapshot(): Generator<void, Uint8Array[]> {
      yield* index.settle();
      return yield* takeSnapshot(index, completer);
    },
    /**
     * Restores a snapshot before anything is filled in, in slices; returns false, without effect, for
     * another version.
     */
    restore: (snapshot: ArrayBuffer): Generator<void, boolean> => restoreSnapshot(index, completer, snapshot),
  };
}

/** Completions, one of each group. */
function completed(
  { q, taste, nextInGroup, ...request }: CompletionRequest,
  completer: Completer,
  distinct: DistinctHits,
  among: ItemFilter,
): CompletionHit[] {
  const wanted = bounded(request.limit, mostCompletions);
  const fuzziness = bounded(request.fuzziness ?? 0, mostFuzziness);
  let hasTyped = false;
  const find = (limit: number, { admits }: ItemFilter) => {
    const found = completer.complete({ q, taste, fuzziness, limit, admits, hasTyped });
    hasTyped = found.hasTyped;
    return { hits: found.hits, isComplete: found.hits.length < limit };
  };
  return distinct.find({ limit: wanted, wanted, among, nextInGroup, find }).hits.slice(0, wanted);
}

/** Returns a counter of how often `read` has returned another object. */
function createIdentityVersion(read: () => object): () => number {
  let last: object | undefined;
  let version = 0;
  return () => {
    const present = read();
    if (present !== last) version += 1;
    last = present;
    return version;
  };
}

function* load(
  index: TextIndex,
  entries: Iterable<readonly [itemIndex: number, document: ItemDocument]>,
): Generator<void> {
  let read = 0;
  for (const [itemIndex, document] of entries) {
    index.fill(itemIndex, document);
    if (++read % documentsPerSlice === 0) yield;
  }
  yield* index.settle();
}
