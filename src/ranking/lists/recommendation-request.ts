/** A recommendation request and its answer, as the pipeline represents them. */

import type { FallbackStep, Purpose } from '../../deployment/deployment.ts';
import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { Scalar } from '../rules/types.ts';
import type { SimilarItems, VectorQuery } from '../vectors/item-vectors.ts';
import type { SpentItems } from './guarantees.ts';
import type { Stage } from './stages.ts';

export type HistoryInput = {
  id: string;
  itemType?: string;
  reconsumable: boolean;
  timestampSeconds?: number;
};

export type InjectedInput = { itemId: string; itemType?: string; rank: number };

/** Reads a variable by name; undefined if the request lacks it. */
export type VariableReader = (name: string) => Scalar | Scalar[] | undefined;

export type ListRequest = {
  configurationId: string;
  listName: string;
  /** 1 to 1,000. */
  listSize: number;
  /** 0 to listSize. */
  limit: number;
  /** Distinct ranks within listSize, distinct ids. */
  injected: InjectedInput[];
  allowDuplicates: boolean;
  /** [the configuration's, then the page type's] */
  purpose?: Purpose;
  /** Items to prefer in this order, instead of the preferences of the configuration [none]. */
  lead?: readonly ItemName[];
  /** IDs of the guarantees that the list delivers [none]. */
  guaranteed?: readonly string[];
  /** Items to leave out for their stock budget [none]. */
  spent?: SpentItems;
  /** Variables of the list, then of the request. */
  variables: VariableReader;
  /** The list as a row of a page. */
  row?: RowPlan;
};

/** A candidate row of a page. */
export type RowPlan = {
  /** Position of its source in the page's definition, from 0. */
  source: number;
  /** Every item has the value. */
  segment?: { key: string; value: string };
  /** Catalogue position of the item whose influence explains every item of the row. */
  because?: number;
  /** Order instead of the blend's. */
  order?: 'trending' | 'newest';
  /** Position on the page, from 1. */
  pinned?: number;
  /** Fewest items of the row. */
  minimumItems: number;
};

/** Limits of a page. */
export type PageRules = {
  maximumRows: number;
  /** Most rows of a segment, whatever their sources [no limit]. */
  rowsPerSegment?: number;
  /** Most rows of each source, in the order of the page's definition. */
  rowsPerSource: readonly number[];
};

export type RecommendationRequest = {
  environment: string;
  deviceId: string;
  userId?: string;
  pageType: string;
  channel?: string;
  contextItem?: { itemId: string; itemType?: string };
  queryVector?: VectorQuery;
  /** The items that `queryVector` finds, which replace it. */
  similar?: SimilarItems;
  /** Histories, each in the order of the request. */
  histories: HistoryInput[][];
  lists: ListRequest[];
  /** Item fields to return. */
  fields?: readonly string[];
  /** Properties that distinguish the declared segments; absent if none are declared. */
  properties?: Readonly<Record<string, string>>;
  /** The request as JSON, stored for later explanation. */
  body?: string;
  /** Deadline for the answer, by `performance.now()`. */
  deadlineMs: number;
  /** Aborted when the client no longer accepts an answer. */
  signal?: AbortSignal;
  /** Identifies the client for fair sharing [one key for all clients without one]. */
  callerKey?: string;
  isRobot: boolean;
  /** Excludes the request from storage and counts. */
  doNotStore?: boolean;
  /** Drafts that replace configurations of the same IDs, outside experiments. */
  drafts?: ReadonlyMap<string, ActiveConfiguration>;
  /** Whether the lists are equal for everyone. */
  isUniform?: boolean;
  /** Makes a page: the best of the lists as rows, in its order. */
  page?: PageRules;
  /** Requests explanations, and reasons for the absence of these items. */
  explain?: { whyNot: ItemName[] };
  /** Assignment pinned by the client. */
  userGroup?: string;
  version?: string;
};

/** An item of a list; `itemType` is empty for an injected item that the catalogue does not know. */
export type ListItem = {
  itemId: string;
  itemType: string;
  rank: number;
  /** Members of its group that can be shown now, with itself; absent without a group. */
  groupSize?: number;
  /** The variant of an interleaved experiment that supplied it. */
  team?: string;
};

/** The step that supplied an item; see ListStep in recommendation_service.proto. */
export type ListStep = 'injected' | 'pinned' | 'vector' | 'personal' | 'context_item' | FallbackStep | 'rest';

export type StepCount = { step: ListStep; itemCount: number };

export type UnmetMinimum = {
  constraintIndex: number;
  wanted: number;
  found: number;
  reason: 'too_few_in_catalogue' | 'excluded_for_user' | 'in_conflict' | 'list_too_short';
  /** Index of the conflicting rule. */
  conflictingIndex?: number;
};

export type ItemName = { itemId: string; itemType?: string };

/** Why an item is not in a list. */
export type AbsenceReason =
  | 'in_list'
  | 'unknown'
  | 'disabled'
  | 'hidden'
  | 'unpublished'
  | 'expired'
  | 'not_offered'
  | 'too_old'
  | 'consumed'
  | 'disliked'
  | 'on_display'
  | 'tired'
  | 'in_other_list'
  | 'in_group'
  | 'not_next'
  | 'spent'
  | 'rule'
  | 'outscored';

export type Absence = {
  itemId: string;
  reason: AbsenceReason;
  constraintIndex?: number;
  /** One sentence. */
  detail: string;
  score: number;
  /** Score of the list's last item that models scored. */
  neededScore: number;
};

export type ModelPart = { model: string; score: number; reasonItemIds: string[] };

export type ItemExplanation = ListItem & {
  source: 'injected' | 'pinned' | 'models' | 'fallback';
  step: ListStep;
  /** Another item of its ordered group, with the deciding score. */
  placedByItemId?: string;
  constraintIndexes: number[];
  preferences: { preferenceIndex: number; weight: number }[];
  score: number;
  parts: ModelPart[];
  /** Whether exploration drew it, and with which probability at its rank. */
  explored?: boolean;
  propensity?: number;
};

export type RuleExplanation = { matched: number; used: number; cut: number; dropped: boolean };

export type ListExplanation = {
  items: ItemExplanation[];
  rules: RuleExplanation[];
  whyNot: Absence[];
  scoredCount: number;
  weighedCount: number;
  /** 0 to 1. */
  gapBound: number;
  historyVariables: HistoryVariable[];
};

/** The values of a variable of the history. */
export type HistoryVariable = {
  name: string;
  events: string[];
  days?: number;
  disliked?: boolean;
  values: string[];
};

type Named = { itemId: string; itemType: string };

/** The positions of a list that exploration drew; see rules/slot-draw.ts. */
export type ExploredList = {
  /** Draws that estimated the propensities; 0 if they are exact. */
  drawCount: number;
  slots: (Named & {
    rank: number;
    /** Probability of the item at this rank, above 0 and at most 1. */
    propensity: number;
    /** The item without exploration. */
    composed: Named;
    /** Probabilities of all items at this rank, if asked for. */
    odds?: (Named & { probability: number })[];
  })[];
};

/** A list as computed by the list maker. */
export type List = {
  /** For a page: position of the list in the request, and the expected gain of its first items. */
  row?: { place: number; gain: number };
  items: ListItem[];
  /** Absent for a list that is not explored. */
  explored?: ExploredList;
  unmet: UnmetMinimum[];
  steps: StepCount[];
  configurationVersion: number;
  /** Latest publication among the items of the first page, in milliseconds since the epoch [none has one]. */
  newestAtMs?: number;
  /** Score by models of the first item that is not injected [no model scored it]. */
  firstScore?: number;
  explanation?: ListExplanation;
};

/** A list of an answer. */
export type RecommendedList = List & {
  configurationId: string;
  listName: string;
  listKey: string;
  /** Size of the first page. */
  limit: number;
  /** Milliseconds since the epoch; undefined if the list is not stored and cannot be paged. */
  expiresAtMs?: number;
};

/** Reason for a degraded answer; see CreateRecommendationsResponse. */
export type Degradation = HistoryLack | 'no_models' | 'not_kept';

/** Why the subject's history is missing. */
export type HistoryLack = 'deadline' | 'database';

export type Recommendation = {
  deviceId: string;
  userId?: string;
  requestId: string;
  userGroup: string;
  version: string;
  lists: RecommendedList[];
};

/** The outcome of a served request. */
export type ServedRecommendation = Recommendation & {
  degraded: readonly Degradation[];
  stages: readonly Stage[];
};
