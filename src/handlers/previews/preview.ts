/**
 * Lists for somebody who looks at them before visitors do: made of the visitor's real history, explained, and leaving no
 * trace. Drafts stand in for the stored configurations of their ids.
 */

import { DomainError } from '../../errors.ts';
import { type HistoryReader, noHistory } from '../../events/histories/history-reader.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { newAnswerId } from '../../ranking/lists/answer-id.ts';
import { readsImpressions } from '../../ranking/lists/list-ingredients.ts';
import { createListMaker, type RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { identify } from '../../ranking/lists/person/identify.ts';
import type { Recommendation, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';

export type Preview = (
  request: RecommendationRequest,
  drafts: ReadonlyMap<string, ActiveConfiguration>,
) => Promise<Recommendation>;

export type PreviewOptions = {
  environments: ReadonlyMap<string, ServingEnvironment>;
  findConfiguration(configurationId: string): ActiveConfiguration | undefined;
  readHistory: HistoryReader;
  /** In another thread, maybe [in this one]. */
  makeLists?: RemoteListMaker;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

export function createPreview(options: PreviewOptions): Preview {
  const { environments, findConfiguration, readHistory, clock } = options;
  const { makeLists = createListMaker() } = options;

  return async (request, drafts) => {
    const environment = environments.get(request.environment)!;
    const identity = identify(request, environment.settings);
    const active = request.lists.map(({ configurationId }) => {
      const found = drafts.get(configurationId) ?? findConfiguration(configurationId);
      if (found) return found;
      throw new DomainError(
        'CONFIGURATION_UNKNOWN',
        `There is no configuration ${JSON.stringify(configurationId)}.`,
        { metadata: { configuration_id: configurationId } },
      );
    });
    const isPersonal = identity.lists === 'recommended';
    const history = isPersonal
      ? await readHistory(request, readsImpressions(environment, active))
      : noHistory;
    const requestId = newAnswerId();
    const nowMs = clock();
    const made = await makeLists({ request, environment, identity, active, history, requestId, nowMs });
    return {
      deviceId: request.deviceId,
      userId: request.userId,
      requestId,
      userGroup: history ? identity.userGroup : 'fallback',
      version: identity.version,
      lists: request.lists.map(({ configurationId, listName, limit }, i) => ({
        configurationId,
        listName,
        listKey: '',
        limit,
        ...made[i],
      })),
    };
  };
}
