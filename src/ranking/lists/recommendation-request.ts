/** A recommendation request and its answer, as the pipeline knows them. */

import type { FallbackStep } from '../../deployment/deployment.ts';
import type { Scalar } from '../rules/types.ts';
import type { Stage } from './stages.ts';

export type HistoryInput = {
  id: string;
  itemType?: string;
  reconsumable: boolean;
  timestampSeconds?: number;
};

export type InjectedInput = { itemId: string; itemType?: string; rank: number };

/** Reads a variable by name; undefined when the caller did not give it. */
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
  /** Fields of the list, then of the request. */
  variables: VariableReader;
};

export type RecommendationRequest = {
  environment: string;
  deviceId: string;
  userId?: string;
  pageType: string;
  channel?: string;
  contextItem?: { itemId: string; itemType?: string };
  /** Each history in the caller's order. */
  histories: HistoryInput[][];
  lists: ListRequest[];
  /** What is shown of items. */
  fields?: readonly string[];
  /** What segments that the deployment declares are told apart by; absent where it declares none. */
  properties?: Readonly<Record<string, string>>;
  /** The request's JSON, for those that may be explained later. */
  body?: string;
  /** Moment by `performance.now()` at which an answer has to be ready. */
  deadlineMs: number;
  /** Aborted when the caller takes no answer any more. */
  signal?: AbortSignal;
  /** Names the caller, so that callers share the service fairly [all that name none are one]. */
  callerKey?: string;
  isRobot: boolean;
  /** Nothing of the request is kept or counted. */
  doNotStore?: boolean;
  /** Asks for explanations, and for the absence of these items. */
  explain?: { whyNot: ItemName[] };
  /** Pins of the caller. */
  userGroup?: string;
  version?: string;
};

/** An item of a list; `itemType` is empty for an injected item that the catalogue does not know. */
export type ListItem = {
  itemId: string;
  itemType: string;
  rank: number;
  /** Of its group what can be shown now, itself included; absent for an item without a group. */
  groupSize?: number;
};

/** What brought an item of a list; see ListStep in recommendation_service.proto. */
export type ListStep = 'injected' | 'personal' | 'context_item' | FallbackStep | 'rest';

export type StepCount = { step: ListStep; itemCount: number };

export type UnmetMinimum = {
  constraintIndex: number;
  wanted: number;
  found: number;
  reason: 'too_few_in_catalogue' | 'excluded_for_user' | 'in_conflict' | 'list_too_short';
  /** The rule in conflict with it. */
  conflictingIndex?: number;
};

export type ItemName = { itemId: string; itemType?: string };

/** Why an item is not in a list. */
export type AbsenceReason =
  | 'in_list'
  | 'unknown'
  | 'disabled'
  | 'unpublished'
  | 'expired'
  | 'not_offered'
  | 'too_old'
  | 'consumed'
  | 'on_display'
  | 'tired'
  | 'in_other_list'
  | 'in_group'
  | 'not_next'
  | 'rule'
  | 'outscored';

export type Absence = {
  itemId: string;
  reason: AbsenceReason;
  constraintIndex?: number;
  /** One sentence. */
  detail: string;
  score: number;
  /** Of the last item of the list that the models scored. */
  neededScore: number;
};

export type ModelPart = { model: string; score: number; reasonItemIds: string[] };

export type ItemExplanation = ListItem & {
  source: 'injected' | 'models' | 'fallback';
  step: ListStep;
  /** Another one of its ordered group, whose score placed it. */
  placedByItemId?: string;
  constraintIndexes: number[];
  preferences: { preferenceIndex: number; weight: number }[];
  score: number;
  parts: ModelPart[];
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
};

/** A list as the list maker makes it. */
export type List = {
  items: ListItem[];
  unmet: UnmetMinimum[];
  steps: StepCount[];
  configurationVersion: number;
  explanation?: ListExplanation;
};

/** A list of an answer. */
export type RecommendedList = List & {
  configurationId: string;
  listName: string;
  listKey: string;
  /** Items of the first page. */
  limit: number;
  /** Milliseconds since the epoch; undefined if the list is not stored and cannot be paged. */
  expiresAtMs?: number;
};

/** Why an answer is less than it could be; see CreateRecommendationsResponse. */
export type Degradation = HistoryLack | 'no_models' | 'not_kept';

/** Why nothing is known of what a person did. */
export type HistoryLack = 'deadline' | 'database';

export type Recommendation = {
  deviceId: string;
  userId?: string;
  requestId: string;
  userGroup: string;
  version: string;
  lists: RecommendedList[];
};

/** What came of a request that was served. */
export type ServedRecommendation = Recommendation & {
  degraded: readonly Degradation[];
  stages: readonly Stage[];
};
