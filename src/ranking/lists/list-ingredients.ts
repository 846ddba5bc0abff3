/** What making the lists of one request takes. */

import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { History } from '../history.ts';
import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { Identity } from './person/identify.ts';
import { isConsumedByShowing } from './person/person.ts';
import type { RecommendationRequest } from './recommendation-request.ts';

export type ListIngredients = {
  request: RecommendationRequest;
  environment: ListEnvironment;
  identity: Identity;
  /** The configuration of each list. */
  active: ActiveConfiguration[];
  /** Undefined when it could not be read: the lists are then not personal. */
  history: Pick<History, 'entries' | 'impressions' | 'consumed'> | undefined;
  /** Another one for every request. */
  requestId: string;
  nowMs: number;
  /** Asked between two lists; once true, making them may end with any error [never]. */
  isCancelled?(): boolean;
};

/** Whether making the lists takes what the person was shown: a second text of each history. */
export function readsImpressions(
  { models, settings: environmentSettings }: ListEnvironment,
  active: readonly ActiveConfiguration[],
): boolean {
  if (models.readsImpressions || isConsumedByShowing(environmentSettings)) return true;
  return active.some(({ settings }) => settings.fatigue);
}
