/** A search and its answer, as the pipeline knows them. */

import type { FieldFilter } from '../search/search.ts';
import type { HistoryInput, ListItem } from './request.ts';

/** Who searches, and what is known of them. */
export type Searcher = {
  environment: string;
  deviceId?: string;
  userId?: string;
  histories: HistoryInput[][];
  isRobot: boolean;
  /** Moment by `performance.now()` at which an answer has to be ready. */
  deadlineMs: number;
};

export type SearchRequest = Searcher & {
  q: string;
  autocorrect: boolean;
  filters: FieldFilter[];
  groupBy: string[];
  /** Items of the first page of each list. */
  limit: number;
  listSize: number;
  listCount: number;
};

export type CompletionRequest = Searcher & {
  q: string;
  /** 0 to 2. */
  fuzziness: number;
  filters: FieldFilter[];
};

/** An item of a list of results; ranks are places. */
export type FoundItem = Omit<ListItem, 'rank'>;

export type FoundList = { listKey: string; listName: string; groupedBy: string[]; items: FoundItem[] };

export type SearchAnswer = {
  requestId: string;
  userGroup: string;
  version: string;
  lists: FoundList[];
  autoSuggest?: string;
  perfectMatch?: FoundItem;
};

export type CompletionAnswer = { requestId: number; userGroup: string; version: string; items: FoundItem[] };
