/** Gathers what the lists of a request are made from. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { type HistoryReader, noHistory } from '../../events/histories/history-reader.ts';
import type { ListEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import { type Identity, identifyLater } from '../../ranking/lists/person/identify.ts';
import { type ServedExperiment, type Treatment, treat } from '../../ranking/lists/person/treatment.ts';
import type { RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import { withSimilar } from '../../ranking/lists/similar-first.ts';
import type { ActiveConfiguration, ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import { notFound } from '../chain/refuse.ts';
import { listRowOf } from '../lists/list-key.ts';
import type { ListStore, StoredList } from '../lists/list-store.ts';
import type { Rival } from './interleaved-lists.ts';

export type IngredientSources<Environment extends ListEnvironment = ListEnvironment> = {
  environments: ReadonlyMap<string, Environment>;
  configurations: ActiveConfigurations;
  readHistory: HistoryReader;
  /** Returns the experiments that an environment serves [none]. */
  experimentsOf?(environment: string): readonly ServedExperiment[];
};

export type Treated = Pick<ListIngredients, 'active' | 'identity'> &
  Pick<Treatment, 'assignments' | 'exposures'> & { rival?: Rival };

type Events = NonNullable<ListIngredients['history']>;

/** Applies the experiments that concern the request. @param active The configurations in force. */
export function treated(
  request: RecommendationRequest,
  active: readonly ActiveConfiguration[],
  identity: Identity,
  { environments, experimentsOf }: Pick<IngredientSources, 'environments' | 'experimentsOf'>,
): Treated {
  const { lists } = request;
  const { configurations, factors, assignments, exposures, interleaving } = treat(
    ((!request.drafts && experimentsOf?.(request.environment)) || []).filter(
      ({ interleaved }) => !interleaved || !request.page,
    ),
    {
      ...{ subject: request, identity },
      settings: environments.get(request.environment)!.settings,
      concerns: ({ weighsModels, configurationIds }) =>
        weighsModels || lists.some(({ configurationId }) => configurationIds.has(configurationId)),
      read: (name) => lists[0]?.variables(name),
    },
  );
  const variantOf = (treatment: Pick<Treatment, 'configurations' | 'factors'>) => ({
    active: active.map((one, i) => treatment.configurations.get(lists[i].configurationId) ?? one),
    identity: treatment.factors ? { ...identity, factors: treatment.factors } : identity,
  });
  const [first, second] = interleaving?.variants ?? [];
  const rival: Rival | undefined = interleaving && {
    ...variantOf(second),
    ...{ experimentId: interleaving.experimentId, names: [first.name, second.name] },
  };
  return { ...variantOf({ configurations, factors }), assignments, exposures, rival };
}

/** Returns the configuration of each list. @throws CONFIGURATION_UNKNOWN */
export function activeConfigurations(
  { environment, lists }: { environment: string; lists: readonly { configurationId: string }[] },
  find: ActiveConfigurations['find'],
): ActiveConfiguration[] {
  return lists.map(({ configurationId }) => {
    const active = find(configurationId, environment);
    if (active) return active;
    const metadata = { configuration_id: configurationId };
    throw notFound('CONFIGURATION_UNKNOWN', 'configuration', configurationId, metadata);
  });
}

/** Reads the history of a personal request. Undefined if it cannot be read in time. */
export async function historyOf(
  readHistory: HistoryReader,
  reader: Parameters<HistoryReader>[0],
  identity: ListIngredients['identity'],
): Promise<ListIngredients['history']> {
  if (identity.lists !== 'recommended') return noHistory;
  return readHistory(reader, true);
}

/** Returns the events of a history whose time is wanted. */
export function partOf(history: Events, isWanted: (seconds: number) => boolean): Events {
  const [entries, impressions, consumed] = [history.entries, history.impressions, history.consumed].map(
    (events) => events.filter(({ occurredAtSeconds }) => isWanted(occurredAtSeconds)),
  );
  return { entries, impressions, consumed };
}

/** Gathers the ingredients of an earlier request. Undefined without one of its configurations. */
export async function gatherAgain(
  request: RecommendationRequest,
  { requestId, nowMs }: Pick<ListIngredients, 'requestId' | 'nowMs'>,
  sources: IngredientSources,
): Promise<ListIngredients | undefined> {
  const { environments, configurations, readHistory } = sources;
  const environment = environments.get(request.environment)!;
  const inForce = request.lists.flatMap(
    ({ configurationId }) => configurations.find(configurationId, request.environment) ?? [],
  );
  if (inForce.length < request.lists.length) return undefined;
  const known = identifyLater(request, environment.settings);
  const { identity, active } = treated(request, inForce, known, sources);
  const history = await historyOf(readHistory, request, identity);
  return withSimilar({ request, environment, identity, active, requestId, nowMs, history });
}

export function listLifetimeMs({ listLifetimeMinutes }: EnvironmentSettings): number {
  return listLifetimeMinutes * 60_000;
}

/** Finds the stored lists of a request by position. Undefined if the first one has expired. */
export async function findStoredLists(
  listStore: Pick<ListStore, 'findRow'>,
  settings: EnvironmentSettings,
  requestId: string,
): Promise<(StoredList | undefined)[] | undefined> {
  const find = async (position: number) => {
    const row = listRowOf(requestId, position);
    const list = await listStore.findRow(settings.name, row, listLifetimeMs(settings));
    return list?.kind === 'recommendations' ? list : undefined;
  };
  const first = await find(0);
  if (!first) return undefined;
  const others = Array.from({ length: (first.listCount ?? 1) - 1 }, (_, i) => find(i + 1));
  return [first, ...(await Promise.all(others))];
}
