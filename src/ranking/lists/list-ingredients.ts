/** The inputs for computing the lists of one request. */

import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { History } from '../history.ts';
import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { Identity } from './person/identify.ts';
import type { RecommendationRequest } from './recommendation-request.ts';

export type ListIngredients = {
  request: RecommendationRequest;
  environment: ListEnvironment;
  identity: Identity;
  /** The configuration of each list. */
  active: ActiveConfiguration[];
  /** Undefined if reading failed: the lists are then not personal. */
  history: Pick<History, 'entries' | 'impressions' | 'consumed'> | undefined;
  /** Unique for each request. */
  requestId: string;
  nowMs: number;
  /** Explores every list that may be explored, and returns probabilities [false]. */
  withOdds?: boolean;
  /** Checked between two lists; once true, computing may fail with any error [never]. */
  isCancelled?(): boolean;
};
