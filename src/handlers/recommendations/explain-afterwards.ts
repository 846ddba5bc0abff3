/**
 * Explains answers while their lists are stored.
 *
 * For recent requests, this process remembers the ingredients (history, configurations, models,
 * trends), and making the lists again explains exactly what was answered. Older requests, and those of other
 * nodes, are read from the list store and made with current data; the answer says whether the same
 * lists resulted.
 */

import type { ListEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ServingModels } from '../../ranking/environment/serving-models.ts';
import { historyBytes } from '../../ranking/history.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import type { ListMaker } from '../../ranking/lists/list-maker.ts';
import type {
  ItemName,
  List,
  RecommendationRequest,
  RecommendedList,
} from '../../ranking/lists/recommendation-request.ts';
import { withSimilar } from '../../ranking/lists/similar-first.ts';
import { snapshotBytes, type TrendSnapshot } from '../../ranking/models/trends/trends.ts';
import { type Cache, createCache, textBytes } from '../../ranking/runtime/cache.ts';
import { type Forgetting, isGoneFor } from '../../ranking/runtime/forgetting.ts';
import type { ListStore, StoredList, StoredRequest } from '../lists/list-store.ts';
import { findStoredLists, gatherAgain, type IngredientSources, partOf } from './gather-ingredients.ts';

/** Bytes of all remembered requests with their histories: some 2,000 typical requests. */
const mostBytes = 40 * 1024 * 1024;

/** Bytes of the ingredients besides the body and the history. */
const bytesOfIngredients = 1_000;

/** Models of the previous training stay in memory for their requests, unless they are larger. */
const largestHeldBytes = 256 * 1024 * 1024;

export type Afterwards = {
  /** Remembers the ingredients of a request that has a body. */
  remember(ingredients: ListIngredients): void;
  /** Returns undefined if the answer's lists have expired. */
  explain(question: AfterwardsQuestion): Promise<ExplainedAfterwards | undefined>;
};

export type AfterwardsQuestion = {
  environment: string;
  requestId: string;
  whyNot: ItemName[];
  revive(stored: StoredRequest): RecommendationRequest;
};

export type ExplainedAfterwards = {
  /** In the order of the request. */
  lists: (List & Pick<RecommendedList, 'configurationId' | 'listName'>)[];
  /** Whether the lists were made from the ingredients of the answer. */
  isExact: boolean;
};

export type AfterwardsOptions = IngredientSources & {
  listStore: ListStore;
  makeLists: ListMaker;
  forgetting?: Forgetting;
};

/**
 * The ingredients of a request with its models, which the environment replaces. The request is
 * remembered as text: parsed it is hundreds of objects, which the garbage collector would copy twice.
 */
type Remembered = Omit<ListIngredients, 'request'> & {
  asked: StoredRequest;
  models: ServingModels;
  trends: TrendSnapshot;
  /** Bytes of the trends, for the first request that was answered with them. */
  trendBytes: number;
};

export function createAfterwards(options: AfterwardsOptions): Afterwards {
  const { environments, listStore, makeLists } = options;
  const remembered = createCache<Remembered>({
    maxBytes: mostBytes,
    bytesOf: ({ asked, history, trendBytes }) =>
      bytesOfIngredients + textBytes(asked.body) + historyBytes(history) + trendBytes,
  });
  const generations = createGenerations(remembered);
  const latestTrends = new Map<string, TrendSnapshot>();
  options.forgetting?.add((isGone) => {
    remembered.deleteWhere(({ asked, environment }) => {
      const { device_id: deviceId, user_id: userId } = JSON.parse(asked.body);
      return isGoneFor(isGone, environment.settings.name, { deviceId, userId });
    });
  });

  return {
    remember({ request, ...others }) {
      if (request.body === undefined) return;
      const { models, settings } = others.environment;
      const trends = others.environment.trends.view.current();
      const isNew = latestTrends.get(settings.name) !== trends;
      latestTrends.set(settings.name, trends);
      const trendBytes = isNew ? snapshotBytes(trends) : 0;
      generations.enter(others.environment, models);
      const asked = { body: request.body, atMs: others.nowMs, isRobot: request.isRobot };
      const key = keyOf(request.environment, others.requestId);
      remembered.set(key, { ...others, asked, models, trends, trendBytes });
    },
    async explain({ environment, requestId, whyNot, revive }) {
      const { settings } = environments.get(environment)!;
      const answered = await findStoredLists(listStore, settings, requestId);
      const held = remembered.get(keyOf(environment, requestId));
      const asked = answered?.[0]?.asked;
      const ingredients = held
        ? await restore(held, revive(held.asked))
        : asked && (await gatherBefore(asked.atMs, requestId, revive(asked), options));
      if (!answered || !ingredients) return undefined;
      const request = { ...ingredients.request, explain: { whyNot } };
      const make = () => makeLists({ ...ingredients, request });
      const lists = held ? held.environment.trends.during(held.trends, make) : make();
      return {
        lists: lists.map((list, i) => {
          const { configurationId, listName } = request.lists[i];
          return { ...list, configurationId, listName };
        }),
        isExact: held !== undefined && lists.every((list, i) => isSame(list, answered[i])),
      };
    },
  };
}

function keyOf(environment: string, requestId: string): string {
  return JSON.stringify([environment, requestId]);
}

/** Combines the current environment with the models of the answer. */
function restore(
  { models, environment, asked: _, trends: __, trendBytes: ___, ...others }: Remembered,
  request: RecommendationRequest,
): Promise<ListIngredients> {
  return withSimilar({ ...others, request, environment: { ...environment, models } });
}

/** Gathers the ingredients of a request again, without later events. */
async function gatherBefore(
  atMs: number,
  requestId: string,
  request: RecommendationRequest,
  options: AfterwardsOptions,
): Promise<ListIngredients | undefined> {
  const ingredients = await gatherAgain(request, { requestId, nowMs: atMs }, options);
  if (!ingredients?.history) return ingredients;
  return { ...ingredients, history: partOf(ingredients.history, (seconds) => seconds * 1000 <= atMs) };
}

function isSame({ items }: List, answered: StoredList | undefined): boolean {
  return (
    answered !== undefined &&
    items.length === answered.items.length &&
    items.every(({ itemId }, place) => itemId === answered.items[place][0])
  );
}

/** Forgets requests with models from two trainings ago, so that the models can be freed. */
function createGenerations(remembered: Cache<Remembered>) {
  const latest = new Map<string, { models: ServingModels; former: ServingModels | undefined }>();
  return {
    enter({ settings: { name } }: ListEnvironment, models: ServingModels): void {
      const known = latest.get(name);
      if (known?.models === models) return;
      const former = known && known.models.byteLength <= largestHeldBytes ? known.models : undefined;
      latest.set(name, { models, former });
      remembered.deleteWhere((one) => {
        const isOfEnvironment = one.environment.settings.name === name;
        return isOfEnvironment && one.models !== models && one.models !== former;
      });
    },
  };
}
