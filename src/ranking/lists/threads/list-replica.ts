/** The state of a list thread: a replica that applies messages in order. */

import type { EnvironmentSettings } from '../../../deployment/deployment.ts';
import { createDeclaredCatalog } from '../../catalog/declared-catalog.ts';
import { createLiveTrends } from '../../environment/live-trends.ts';
import type { ListEnvironment } from '../../environment/serving-environment.ts';
import {
  createEmptyModels,
  createSharedModels,
  type ServingModels,
} from '../../environment/serving-models.ts';
import type { Feature } from '../../models/features.ts';
import type { ActiveConfiguration } from '../../rules/active-configuration.ts';
import { createMatchSets } from '../../rules/match-sets.ts';
import { createHistoryMemory, type ListHistory } from './histories-told.ts';
import type { ItemRows, ListNews } from './list-news.ts';
import type { TaskSurroundings } from './list-task.ts';

/** Limit of cached match sets over all environments; one takes 12.5 kB at 100,000 items. */
const matchSetBytes = 16 * 1024 * 1024;

export type ListReplica = TaskSurroundings & { learn(news: ListNews): void };

export type ListReplicaOptions = {
  environments: readonly EnvironmentSettings[];
  /** Called once all catalogues are complete and the models announced before are ready. */
  onReady(): void;
  onModelsReady(environment: string, modelsId: number): void;
};

/** Models with the items that arrived before they were ready. */
type Coming = { made?: ServingModels; arrived: [itemIndex: number, features: readonly Feature[]][] };

type Held = ListEnvironment & {
  isFilled: boolean;
  /** Active and pending models by ID. */
  coming: Map<number, Coming>;
  /** The models to use; 0 before there are any. */
  usedId: number;
};

export function createListReplica(options: ListReplicaOptions): ListReplica {
  const { environments, onReady, onModelsReady } = options;
  const maxBytes = Math.floor(matchSetBytes / environments.length);
  const held = new Map(environments.map((settings) => [settings.name, createHeld(settings, maxBytes)]));
  const configurations = new Map<string, ActiveConfiguration>();
  const remembered = createHistoryMemory<ListHistory>();
  let isReady = false;

  const lookWhetherReady = (): void => {
    if (isReady || ![...held.values()].every(isComplete)) return;
    isReady = true;
    onReady();
  };
  const makeModels = async (
    environment: Held,
    { modelsId, buffer, mapping }: Extract<ListNews, { kind: 'models' }>,
  ): Promise<void> => {
    const one: Coming = { arrived: [] };
    environment.coming.set(modelsId, one);
    const models = await createSharedModels(buffer, mapping, environment.settings, environment.trends.view);
    for (const [itemIndex, features] of one.arrived) models.newItems?.set(itemIndex, features);
    one.made = models;
    useMade(environment);
    onModelsReady(environment.settings.name, modelsId);
    lookWhetherReady();
  };
  const learnOf = (environment: Held, news: Extract<ListNews, { environment: string }>): void => {
    if (news.kind === 'models') void makeModels(environment, news);
    else if (news.kind === 'arrived') learnArrival(environment, news);
    else if (news.kind === 'trends') environment.trends.replace(news.snapshot);
    else if (news.kind === 'use') {
      environment.usedId = news.modelsId;
      useMade(environment);
    } else {
      for (const row of JSON.parse(news.rows) as ItemRows) environment.catalog.apply(row);
      environment.isFilled ||= news.isFilled;
      lookWhetherReady();
    }
  };

  return {
    environmentOf: (name) => held.get(name)!,
    configurationAt: (place) => configurations.get(place)!,
    remembered,
    learn(news) {
      if (news.kind === 'forget') remembered.clear();
      else if (news.kind === 'configuration') configurations.set(news.place, news.active);
      else learnOf(held.get(news.environment)!, news);
    },
  };
}

function createHeld(settings: EnvironmentSettings, maxBytes: number): Held {
  const catalog = createDeclaredCatalog(settings);
  const matchSets = createMatchSets({ catalog, maxBytes });
  const trends = createLiveTrends(catalog, true);
  const models = createEmptyModels(trends.view);
  return { settings, catalog, matchSets, models, trends, isFilled: false, coming: new Map(), usedId: 0 };
}

function isComplete({ isFilled, coming }: Held): boolean {
  return isFilled && [...coming.values()].every(({ made }) => made !== undefined);
}

function learnArrival(
  { coming }: Held,
  { modelsId, itemIndex, features }: Extract<ListNews, { kind: 'arrived' }>,
): void {
  const one = coming.get(modelsId);
  if (one?.made) one.made.newItems?.set(itemIndex, features);
  else one?.arrived.push([itemIndex, features]);
}

/** Activates the selected models if ready, and drops older ones. */
function useMade(environment: Held): void {
  const { coming, usedId } = environment;
  const made = coming.get(usedId)?.made;
  if (made === undefined) return;
  environment.models = made;
  for (const modelsId of [...coming.keys()]) if (modelsId < usedId) coming.delete(modelsId);
}
