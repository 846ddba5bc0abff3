/**
 * Explains answers afterwards, while their lists live.
 *
 * What an answer was made of (history, configurations, models) is remembered in this process for the latest requests, and
 * making their lists again says exactly what explaining them at once would have said. Of older requests, of another node's, or
 * from before a restart, the request itself is kept with its first list: it is made again with what is known now, and
 * the answer says whether the same lists came of it.
 */

import type { HistoryReader } from '../../events/histories/history-reader.ts';
import { noHistory } from '../../events/histories/history-reader.ts';
import type { ListEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ServingModels } from '../../ranking/environment/serving-models.ts';
import { historyBytes } from '../../ranking/history.ts';
import { type ListIngredients, readsImpressions } from '../../ranking/lists/list-ingredients.ts';
import type { createListMaker } from '../../ranking/lists/list-maker.ts';
import { identifyLater } from '../../ranking/lists/person/identify.ts';
import type { ItemName, List, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import { type Cache, createCache, textBytes } from '../../ranking/runtime/cache.ts';
import { type Forgetting, isGoneFor } from '../../ranking/runtime/forgetting.ts';
import { listRowOf } from '../lists/list-key.ts';
import type { ListStore, StoredList, StoredRequest } from '../lists/list-store.ts';

/** Of all remembered requests, histories included: some 2,000 usual requests. */
const mostBytes = 40 * 1024 * 1024;

/** What a request was made of besides its body and its history. */
const bytesOfIngredients = 1_000;

/** Models replaced meanwhile are held for their requests, one generation, unless they are larger. */
const largestHeldBytes = 256 * 1024 * 1024;

export type Afterwards = {
  /** What the lists of a request were made of. Requests without a body are not remembered. */
  remember(ingredients: ListIngredients): void;
  /** Undefined when there is no such answer any more. */
  explain(question: AfterwardsQuestion): Promise<ExplainedAfterwards | undefined>;
};

export type AfterwardsQuestion = {
  environment: string;
  requestId: string;
  whyNot: ItemName[];
  /** Reads what was kept of a request. */
  revive(asked: StoredRequest): RecommendationRequest;
};

export type ExplainedAfterwards = {
  /** By list of the request. */
  lists: { listName: string; made: List }[];
  /** From the very state that the answer was made of. */
  isExact: boolean;
};

export type AfterwardsOptions = {
  environments: ReadonlyMap<string, ListEnvironment>;
  configurations: ActiveConfigurations;
  listStore: ListStore;
  readHistory: HistoryReader;
  makeLists: ReturnType<typeof createListMaker>;
  forgetting?: Forgetting;
};

/**
 * What a request was made of besides itself, and the models of its moment, which the environment replaces. The request is
 * remembered as its text alone: what it was read into is hundreds of objects, and whatever outlives its call is copied
 * by the garbage collector twice, in pauses that other requests wait for.
 */
type Remembered = Omit<ListIngredients, 'request'> & { asked: StoredRequest; models: ServingModels };

export function createAfterwards(options: AfterwardsOptions): Afterwards {
  const { environments, listStore, makeLists } = options;
  const remembered = createCache<Remembered>({
    maxBytes: mostBytes,
    bytesOf: ({ asked, history }) => bytesOfIngredients + textBytes(asked.body) + historyBytes(history),
  });
  const generations = createGenerations(remembered);
  options.forgetting?.add((isGone) => {
    remembered.deleteWhere(({ asked, environment }) => {
      const { device_id: deviceId, user_id: userId } = JSON.parse(asked.body);
      return isGoneFor(isGone, environment.settings.name, { deviceId, userId });
    });
  });

  /** The lists as they were answered; undefined when the first does not live any more. */
  const findAnswered = async (environment: string, requestId: string, lifetimeMs: number) => {
    const find = async (place: number) => {
      const list = await listStore.findRow(environment, listRowOf(requestId, place), lifetimeMs);
      return list?.kind === 'recommendations' ? list : undefined;
    };
    const first = await find(0);
    if (!first) return undefined;
    const count = first.listCount ?? 1;
    return Promise.all(Array.from({ length: count }, (_, place) => (place === 0 ? first : find(place))));
  };

  return {
    remember({ request, ...others }) {
      if (request.body === undefined) return;
      const { models } = others.environment;
      generations.enter(others.environment, models);
      const asked = { body: request.body, atMs: others.nowMs, isRobot: request.isRobot };
      remembered.set(keyOf(request.environment, others.requestId), { ...others, asked, models });
    },
    async explain({ environment, requestId, whyNot, revive }) {
      const serving = environments.get(environment)!;
      const answered = await findAnswered(
        environment,
        requestId,
        serving.settings.listLifetimeMinutes * 60_000,
      );
      const held = remembered.get(keyOf(environment, requestId));
      const asked = answered?.[0]?.asked;
      const ingredients = held
        ? restore(held, revive(held.asked))
        : asked && (await makeAgain(requestId, revive(asked), asked, options));
      if (!answered || !ingredients) return undefined;
      const request = { ...ingredients.request, explain: { whyNot } };
      const made = makeLists({ ...ingredients, request });
      return {
        lists: made.map((list, i) => ({ listName: request.lists[i].listName, made: list })),
        isExact: held !== undefined && made.every((list, i) => isSame(list, answered[i])),
      };
    },
  };
}

function keyOf(environment: string, requestId: string): string {
  return JSON.stringify([environment, requestId]);
}

/** The environment as it is, with the models as they were. */
function restore(
  { models, environment, ...others }: Remembered,
  request: RecommendationRequest,
): ListIngredients {
  return { ...others, request, environment: { ...environment, models } };
}

/** The request with everything else as it is now; later events than the request are left out. */
async function makeAgain(
  requestId: string,
  request: RecommendationRequest,
  { atMs }: StoredRequest,
  { environments, configurations, readHistory }: AfterwardsOptions,
): Promise<ListIngredients | undefined> {
  const environment = environments.get(request.environment)!;
  const active = request.lists.flatMap(({ configurationId }) => configurations.find(configurationId) ?? []);
  if (active.length < request.lists.length) return undefined;
  const identity = identifyLater(request, environment.settings);
  const counts = readsImpressions(environment, active);
  const history = identity.lists === 'recommended' ? await readHistory(request, counts) : noHistory;
  const isBefore = ({ occurredAtSeconds }: { occurredAtSeconds: number }) => occurredAtSeconds * 1000 <= atMs;
  return {
    request,
    environment,
    identity,
    active,
    requestId,
    nowMs: atMs,
    history: history && {
      entries: history.entries.filter(isBefore),
      impressions: history.impressions.filter(isBefore),
      consumed: history.consumed.filter(isBefore),
    },
  };
}

function isSame({ items }: List, answered: StoredList | undefined): boolean {
  return (
    answered !== undefined &&
    items.length === answered.items.length &&
    items.every(({ itemId }, place) => itemId === answered.items[place][0])
  );
}

/** Forgets requests when their models are two trainings old, so that these can be freed. */
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
