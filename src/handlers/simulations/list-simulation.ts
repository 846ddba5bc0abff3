/**
 * Compares a draft with the served version on recorded requests, through the same list maker.
 * Stores and publishes nothing.
 *
 * Compares the lists of the draft's configuration, or all lists if no request uses it. Live
 * requests run in between, here and in threads.
 */

import { DomainError } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { History } from '../../ranking/history.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import { createListMaker, type RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { identifyLater } from '../../ranking/lists/person/identify.ts';
import type { List, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import { type Comparison, compareItems, createTally } from './list-comparison.ts';

export type SimulationOptions = {
  environment: ServingEnvironment;
  requests: readonly RecommendationRequest[];
  draft: ActiveConfiguration & { configurationId: string };
  findConfiguration(configurationId: string): ActiveConfiguration | undefined;
  readHistory(request: RecommendationRequest): Promise<History>;
  /** Makes lists, possibly in another thread [in this one]. */
  makeLists?: RemoteListMaker;
  shareKeys: readonly string[];
  nowMs: number;
};

export async function simulate(options: SimulationOptions): Promise<Comparison> {
  const { environment, requests, draft, findConfiguration, shareKeys, nowMs } = options;
  const inForce = findConfiguration(draft.configurationId);
  const isDrafted = selectLists(requests, draft.configurationId);
  const { makeLists = createListMaker() } = options;
  const before = createTally(environment, shareKeys, nowMs);
  const after = createTally(environment, shareKeys, nowMs);
  let requestCount = 0;
  let changedListCount = 0;

  for (const request of requests) {
    const places = request.lists.flatMap(({ configurationId }, i) => (isDrafted(configurationId) ? [i] : []));
    const active = request.lists.map(({ configurationId }) => findConfiguration(configurationId));
    if (places.length === 0) continue;
    requestCount += 1;
    const history = await options.readHistory(request);
    const make = (side: (ActiveConfiguration | undefined)[]) =>
      tryLists(makeLists, { request, environment, history, requestId: String(requestCount), nowMs }, side);
    /** Both start at once, so that they use the same items. */
    const [old, drafted] = await Promise.all([
      make(active),
      make(active.map((present, i) => (places.includes(i) ? draft : present))),
    ]);
    for (const place of places) {
      const { listSize } = request.lists[place];
      before.add(old?.[place], listSize);
      after.add(drafted?.[place], listSize);
      if (textOf(old?.[place]) !== textOf(drafted?.[place])) changedListCount += 1;
    }
    await nextTurn();
  }
  return {
    requestCount,
    listCount: after.listCount,
    before: inForce && before.finish(inForce.version),
    after: after.finish(0),
    ...compareItems(before.itemCounts, after.itemCounts, environment),
    changedListCount,
  };
}

/** Selects lists of the configuration, or all if no request uses it. */
function selectLists(
  requests: readonly RecommendationRequest[],
  configurationId: string,
): (id: string) => boolean {
  const isUsed = requests.some(({ lists }) => lists.some((list) => list.configurationId === configurationId));
  return isUsed ? (id) => id === configurationId : () => true;
}

type Setting = Pick<
  ListIngredients,
  'request' | 'environment' | 'history' | 'requestId' | 'nowMs' | 'withOdds'
>;

/** Returns undefined without a configuration, or without a variable that has no default. */
export async function tryLists(
  makeLists: RemoteListMaker,
  setting: Setting,
  active: (ActiveConfiguration | undefined)[],
): Promise<List[] | undefined> {
  if (!active.every((present) => present !== undefined)) return undefined;
  const pinned = { ...setting.request, isRobot: false, userGroup: undefined };
  const { version } = identifyLater(pinned, setting.environment.settings);
  const identity = { userGroup: 'recommender', lists: 'recommended' as const, version };
  try {
    return await makeLists({ ...setting, identity, active });
  } catch (error) {
    if (error instanceof DomainError && error.reason === 'VARIABLE_MISSING') return undefined;
    throw error;
  }
}

function textOf(list: List | undefined): string {
  return list?.items.map(({ itemType, itemId }) => `${itemType} ${itemId}`).join('\n') ?? '';
}
