/** What making the lists of one request takes. */

import type { ActiveConfiguration } from '../configurations/configuration-replica.ts';
import type { History } from '../repository/histories.ts';
import type { Identity } from './identify.ts';
import type { RecommendationRequest } from './request.ts';
import type { ServingEnvironment } from './serving-environment.ts';

export type ListMaking = {
  request: RecommendationRequest;
  environment: ServingEnvironment;
  identity: Identity;
  /** The configuration of each list. */
  active: ActiveConfiguration[];
  /** Undefined when it could not be read: the lists are then not personal. */
  history: Pick<History, 'entries' | 'impressions'> | undefined;
  /** Another one for every request. */
  requestId: string;
  nowMs: number;
};

/** Whether making the lists takes what the person was shown: a second text of each history. */
export function readsImpressions(
  { models }: ServingEnvironment,
  active: readonly ActiveConfiguration[],
): boolean {
  return models.readsImpressions || active.some(({ settings }) => settings.fatigue);
}
