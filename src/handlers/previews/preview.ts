/** Previews lists from real histories; drafts replace stored configurations of the same ID. */

import { newAnswerId } from '../../ranking/lists/answer-id.ts';
import { createListMaker, type RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { identify } from '../../ranking/lists/person/identify.ts';
import type { Recommendation, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import { withSimilar } from '../../ranking/lists/similar-first.ts';
import type { ActiveConfiguration, ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import {
  activeConfigurations,
  historyOf,
  type IngredientSources,
} from '../recommendations/gather-ingredients.ts';
import { answerOf } from '../recommendations/recommendation-pipeline.ts';

export type Preview = (
  request: RecommendationRequest,
  drafts: ReadonlyMap<string, ActiveConfiguration>,
) => Promise<Recommendation>;

export type PreviewOptions = Omit<IngredientSources, 'configurations'> & {
  findConfiguration: ActiveConfigurations['find'];
  /** Makes lists, possibly in another thread [in this one]. */
  makeLists?: RemoteListMaker;
  clock: () => number;
};

export function createPreview(options: PreviewOptions): Preview {
  const { environments, findConfiguration, readHistory, clock, makeLists = createListMaker() } = options;
  return async (request, drafts) => {
    const environment = environments.get(request.environment)!;
    const identity = identify(request, environment.settings);
    const active = activeConfigurations(request, (id, name) => drafts.get(id) ?? findConfiguration(id, name));
    const history = await historyOf(readHistory, request, identity);
    const requestId = newAnswerId();
    const unstored = { ...request, doNotStore: true };
    const asked = { request: unstored, requestId, nowMs: clock() };
    const lists = await makeLists(await withSimilar({ ...asked, environment, identity, active, history }));
    return answerOf(unstored, requestId, { ...identity, isFallback: history === undefined }, lists);
  };
}
