/** What a thread that makes lists knows: it follows what it is told, in that order, and nothing else. */

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

/** Remembered answers to conditions, of all environments together: at 100,000 items one takes 12.5 kB. */
const matchSetBytes = 16 * 1024 * 1024;

export type ListReplica = TaskSurroundings & { learn(news: ListNews): void };

export type ListReplicaOptions = {
  environments: readonly EnvironmentSettings[];
  /** All catalogues are complete, and the models that were told of before that can be used. */
  onReady(): void;
  onModelsReady(environment: string, modelsId: number): void;
};

/** Models, with what arrived in them before they were made. */
type Coming = { made?: ServingModels; arrived: [itemIndex: number, features: readonly Feature[]][] };

type Held = ListEnvironment & {
  isFilled: boolean;
  /** Those in use and those that come after them, by their id. */
  coming: Map<number, Coming>;
  /** What shall be used; 0 before there are models. */
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
    else if (news.kind === 'trends') environment.trends.show(news.snapshot);
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
    configurationOf: (configurationId) => configurations.get(configurationId)!,
    remembered,
    learn(news) {
      if (news.kind === 'forget') remembered.clear();
      else if (news.kind === 'configuration') configurations.set(news.configurationId, news.active);
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

/** What came before what is used is let go. */
function useMade(environment: Held): void {
  const { coming, usedId } = environment;
  const made = coming.get(usedId)?.made;
  if (made === undefined) return;
  environment.models = made;
  for (const modelsId of [...coming.keys()]) if (modelsId < usedId) coming.delete(modelsId);
}
