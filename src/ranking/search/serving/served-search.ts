/** A search and its answer, as the pipeline knows them. */
import type { HistoryInput, HistoryLack, ItemName, ListItem } from '../../lists/recommendation-request.ts';
import type { ActiveConfiguration } from '../../rules/active-configuration.ts';
import type { Facet, FieldFilter, QueryExplanation, Refinement } from '../search.ts';

/** Who searches, and what is known of them. */
export type SearchSubject = {
  environment: string;
  deviceId?: string;
  userId?: string;
  histories: HistoryInput[][];
  isRobot: boolean;
  /** The caller's token lets it speak for the user that it names. */
  isVouchedFor?: boolean;
  /** Network that the call came from; absent when a client speaks for its visitors. */
  network?: string;
  /** Nothing of the request is kept or counted. */
  doNotStore?: boolean;
  /** Moment by `performance.now()` at which an answer has to be ready. */
  deadlineMs: number;
  /** Told what the database did not bring, and why. */
  onLack?(lack: HistoryLack): void;
};

export type SearchRequest = SearchSubject & {
  q: string;
  /** By these configurations may steer. */
  pageType?: string;
  language?: string;
  autocorrect: boolean;
  filters: FieldFilter[];
  groupBy: string[];
  refinement?: Refinement;
  /** What is shown of items. */
  fields?: readonly string[];
  /** Items of the first page of each list. */
  limit: number;
  listSize: number;
  listCount: number;
  /** Items of all lists together; the last lists are shorter when there are more. */
  mostItems: number;
  /** Asks for an explanation, and for the absence of these items. */
  explain?: { whyNot: readonly ItemName[] };
  /** Configurations that stand in for those of their ids. */
  drafts?: ReadonlyMap<string, ActiveConfiguration>;
};

export type CompletionRequest = SearchSubject & {
  q: string;
  /** 0 to 2. */
  fuzziness: number;
  filters: FieldFilter[];
};

/** An item of a list of results; ranks are places. */
export type FoundItem = Omit<ListItem, 'rank'>;

export type FoundList = {
  listKey: string;
  listName: string;
  groupedBy: string[];
  items: FoundItem[];
  /** Until when it can be paged; absent when it was not kept. */
  expiresAtMs?: number;
};

export type SearchAnswer = {
  requestId: string;
  userGroup: string;
  version: string;
  lists: FoundList[];
  /** Whether the query finds anything, on this page or another, or names an item. */
  isFound: boolean;
  autoSuggest?: string;
  perfectMatch?: FoundItem;
  /** Of a refined search. */
  facets?: Facet[];
  totalSize?: number;
  /** What configurations say beside the results. */
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

/** Too few of the found items serve a minimum. */
export type Shortage = { constraintIndex: number; wanted: number; found: number };

/** A configuration that steered a search, and why. */
export type SteeringExplanation = {
  configurationId: string;
  version: number;
  reasons: string[];
  unmet: Shortage[];
};

/** From the best tier to the last; see docs/search.md. */
export type TierName = 'exact_title' | 'title_phrase' | 'title' | 'all_words' | 'some_words';

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
  /** Of preferences of configurations. */
  preferenceWeight: number;
  /** The configuration that pins it. */
  pinnedBy?: string;
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

/** A query that completes what was typed: one of the person's own, or one that many people asked. */
export type QueryCompletion = { query: string; kind: 'recent' | 'popular' };

export type CompletionAnswer = {
  requestId: number;
  userGroup: string;
  version: string;
  items: FoundItem[];
  queries: readonly QueryCompletion[];
  /** What the database did not bring, and why. */
  degraded: readonly HistoryLack[];
};
