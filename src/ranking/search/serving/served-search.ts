/** A search of a subject and its answer. */
import type { HistoryInput, HistoryLack, ItemName, ListItem } from '../../lists/recommendation-request.ts';
import type { ActiveConfiguration } from '../../rules/active-configuration.ts';
import type { VectorQuery } from '../../vectors/item-vectors.ts';
import type { Facet, FieldFilter, QueryExplanation, Refinement, SearchResult } from '../search.ts';

/** The subject of a search. */
export type SearchSubject = {
  environment: string;
  deviceId?: string;
  userId?: string;
  histories: HistoryInput[][];
  isRobot: boolean;
  /** Whether the caller's token may speak for the user. */
  isVouchedFor?: boolean;
  /** Network of the caller; absent when a client speaks for its visitors. */
  network?: string;
  /** Whether nothing of the request may be stored or counted. */
  doNotStore?: boolean;
  /** Time by `performance.now()` at which the answer must be ready. */
  deadlineMs: number;
  /** Called with what the database could not provide, and why. */
  onLack?(lack: HistoryLack): void;
};

export type SearchRequest = SearchSubject & {
  q: string;
  /** Page type and language, by which configurations may steer. */
  pageType?: string;
  channel?: string;
  language?: string;
  autocorrect: boolean;
  /** See the request to the index. */
  priceField?: string;
  filters: FieldFilter[];
  queryVector?: VectorQuery;
  groupBy: string[];
  refinement?: Refinement;
  /** List whose order the page continues. */
  listKey?: string;
  /** Fields of items in the answer. */
  fields?: readonly string[];
  /** Items of the first page of each list. */
  limit: number;
  listSize: number;
  listCount: number;
  /** Maximum items of all lists together; later lists are cut. */
  mostItems: number;
  /** Asks for an explanation, and for the reason why these items are absent. */
  explain?: { whyNot: readonly ItemName[] };
  /** Drafts that replace configurations of the same IDs. */
  drafts?: ReadonlyMap<string, ActiveConfiguration>;
};

export type CompletionRequest = SearchSubject & {
  q: string;
  /** 0 to 2. */
  fuzziness: number;
  filters: FieldFilter[];
};

/** An item of a result list; its rank is its place. */
export type FoundItem = Omit<ListItem, 'rank'>;

export type FoundList = {
  listKey: string;
  listName: string;
  groupedBy: string[];
  items: FoundItem[];
  /** Time until which the list can be paged; absent when it was not stored. */
  expiresAtMs?: number;
};

export type SearchAnswer = {
  requestId: string;
  userGroup: string;
  version: string;
  lists: FoundList[];
  /** Whether the query finds anything, on any page, or names an item. */
  isFound: boolean;
  autoSuggest?: string;
  perfectMatch?: FoundItem;
  /** Present for a refined search. */
  facets?: Facet[];
  totalSize?: number;
  /** Filters that words of the query mean. */
  interpreted?: SearchResult['interpreted'];
  /** From configurations. */
  redirect?: string;
  promotedContent: readonly object[];
  explanation?: SearchExplanation;
};

/** Why the results are as they are. */
export type SearchExplanation = Pick<QueryExplanation, 'words' | 'corrections'> & {
  /** The corrected query, or the typed one. */
  queryUsed: string;
  droppedWords: string[];
  /** The first page of each list. */
  lists: { listName: string; items: FoundItemExplanation[] }[];
  whyNot: SearchAbsence[];
  configurations: SteeringExplanation[];
};

/** A minimum that too few of the found items satisfy. */
export type Shortage = { constraintIndex: number; wanted: number; found: number };

/** A configuration that steered a search, and why. */
export type SteeringExplanation = {
  configurationId: string;
  version: number;
  reasons: string[];
  unmet: Shortage[];
};

/** From the best tier to the last. */
export type TierName = 'exact_title' | 'title_phrase' | 'title' | 'all_words' | 'some_words' | 'fused';

export type FoundItemExplanation = FoundItem & {
  rank: number;
  tier: TierName;
  /** The sum of the other scores. */
  score: number;
  textScore: number;
  likenessScore: number;
  priorScore: number;
  tasteScore: number;
  clickScore: number;
  /** They add up to the text score. */
  words: WordScore[];
  /** Weight of the configurations' preferences. */
  preferenceWeight: number;
  /** ID of the configuration that pins it. */
  pinnedBy?: string;
  /** To the request's vector. */
  similarity?: number;
};

export type WordScore = {
  word: string;
  kind: QueryExplanation['words'][number]['alternatives'][number]['kind'];
  text: string;
  score: number;
  fields: { field: string; score: number }[];
};

export type SearchAbsenceReason =
  | 'shown'
  | 'unknown'
  | 'disabled'
  | 'unpublished'
  | 'expired'
  | 'not_offered'
  | 'filtered'
  | 'no_word'
  | 'other_list'
  | 'in_group'
  | 'outranked'
  | 'hidden'
  | 'constrained';

/** Why an item is not on the first page of any list. */
export type SearchAbsence = {
  itemId: string;
  reason: SearchAbsenceReason;
  /** One sentence. */
  detail: string;
  tier?: TierName;
  score: number;
};

/** A query that completes what was typed: one of the subject's own, or a popular one. */
export type QueryCompletion = { query: string; kind: 'recent' | 'popular' };

export type CompletionAnswer = {
  requestId: number;
  userGroup: string;
  version: string;
  items: FoundItem[];
  queries: readonly QueryCompletion[];
  /** Data that the database could not provide, and why. */
  degraded: readonly HistoryLack[];
};
