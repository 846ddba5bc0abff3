/**
 * Serves a recommendation request: identify, read the history, make the lists, store them, answer.
 *
 * The history is one read and the lists are one write, both shared with concurrent requests. The
 * lists are made in one go, here or in a thread, from one state of catalogue, models and
 * configurations. Without a history in time, trending items within the same rules are the answer.
 */

import type { Logger } from 'pino';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { newAnswerId } from '../../ranking/lists/answer-id.ts';
import { type PaceOf, type SpentOf, withGuarantees } from '../../ranking/lists/guarantees.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import { createListMaker, type RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { type Identity, identify } from '../../ranking/lists/person/identify.ts';
import type { Treatment } from '../../ranking/lists/person/treatment.ts';
import type {
  Degradation,
  HistoryLack,
  List,
  ListRequest,
  Recommendation,
  RecommendationRequest,
  RecommendedList,
  ServedRecommendation,
} from '../../ranking/lists/recommendation-request.ts';
import { withSimilar } from '../../ranking/lists/similar-first.ts';
import { createStages } from '../../ranking/lists/stages.ts';
import type { Forgetting } from '../../ranking/runtime/forgetting.ts';
import { listKeyOf, listRowOf, newListSecret } from '../lists/list-key.ts';
import type { ListStore, StoredList } from '../lists/list-store.ts';
import { createTimelyNames } from '../lists/timely-names.ts';
import { type Afterwards, createAfterwards } from './explain-afterwards.ts';
import { createFillList, type FillList } from './fill-list.ts';
import {
  activeConfigurations,
  historyOf,
  type IngredientSources,
  listLifetimeMs,
  treated,
} from './gather-ingredients.ts';
import { makeInterleaved, type Rival } from './interleaved-lists.ts';
import { createListsInTime } from './lists-in-time.ts';

export type TreatedRecommendation = ServedRecommendation & Pick<Treatment, 'assignments' | 'exposures'>;

export type ExpandLists = (history: ListIngredients['history'], nowMs: number) => ListRequest[];

export type RecommendationPipeline = {
  /** @param expand Returns the lists of the request for a history [those of the request]. */
  recommend(request: RecommendationRequest, expand?: ExpandLists): Promise<TreatedRecommendation>;
  explainAfterwards: Afterwards['explain'];
  fillList: FillList;
};

/** Characters. Longer requests are remembered but not stored, to limit the size of the database. */
const longestStoredBody = 16_384;

export type RecommendationPipelineOptions = IngredientSources<ServingEnvironment> & {
  listStore: ListStore;
  clock: () => number;
  logger: Logger;
  /** Makes lists, possibly in another thread [in this one]. */
  makeLists?: RemoteListMaker;
  /** Runs a named part of the work, for traces. */
  step?: <T>(name: string, work: () => T) => T;
  forgetting?: Forgetting;
  /** Returns the pace of a guarantee [0]. */
  paceOf?: PaceOf;
  /** Returns the items that have used up their stock budget [none]. */
  spentOf?: SpentOf;
};

export function createRecommendationPipeline(options: RecommendationPipelineOptions): RecommendationPipeline {
  const { readHistory, environments, configurations, listStore, clock, forgetting } = options;
  const { step = (_, work) => work(), paceOf = () => 0, spentOf = () => undefined } = options;
  const makeHere = createListMaker();
  const makeInTime = createListsInTime(options.makeLists ?? makeHere, makeHere);
  const { experimentsOf } = options;
  const parts = { environments, configurations, experimentsOf, listStore, readHistory, makeLists: makeHere };
  const afterwards = createAfterwards({ ...parts, forgetting });
  const fillList = createFillList({ ...parts, clock });
  const rowOf = (requestId: string) => listRowOf(requestId, 0);
  const newStoredId = createTimelyNames({ lists: listStore, draw: newAnswerId, rowOf });
  const storeLists = createStoreLists(options);

  return {
    async recommend(given, expand) {
      const environment = environments.get(given.environment)!;
      const assigned = identify(given, environment.settings);
      const find = (id: string, name: string) => given.drafts?.get(id) ?? configurations.find(id, name);
      const treat = (request: RecommendationRequest) =>
        treated(request, activeConfigurations(request, find), assigned, options);
      /** Refuses unknown configurations before anything is read. */
      const early = treat(given);
      const { identity } = early;
      const isPersonal = identity.lists === 'recommended';
      const stages = createStages();
      const degraded = new Set<Degradation>();
      if (identity.lists !== 'empty' && environment.models.byteLength === 0) degraded.add('no_models');
      const reader = { ...given, onLack: (lack: HistoryLack) => void degraded.add(lack) };
      const history = await historyOf(readHistory, reader, identity);
      stages.end('history');
      const requestId = given.doNotStore ? newAnswerId() : newStoredId(given.environment);
      const nowMs = clock();
      const expanded = expand ? { ...given, lists: expand(history, nowMs) } : given;
      const { active, assignments, exposures, rival } = expand
        ? { ...treat(expanded), rival: undefined }
        : early;
      const request = withGuarantees(expanded, active, requestId, { paceOf, spentOf });
      environment.trends.renew(nowMs / 1000);
      const ingredients = await withSimilar({
        ...{ request, environment, identity, active, history, requestId, nowMs },
      });
      if (request.queryVector) stages.end('vectors');
      /** Remembers the models first, since they may be replaced while a thread makes the lists. */
      if (!request.doNotStore && !request.page) afterwards.remember(ingredients);
      const { lists, isLate } = await step('make lists', () =>
        rival ? makeInterleaved(ingredients, rival, makeInTime) : makeInTime(ingredients),
      );
      stages.end('lists');
      if (isLate) degraded.add('deadline');
      const isFallback = isPersonal && (isLate || history === undefined);
      const shown = request.page
        ? { ...request, lists: lists.map(({ row }) => request.lists[row!.place]) }
        : request;
      const answer = {
        ...answerOf(shown, requestId, { ...identity, isFallback }, lists),
        ...{ assignments, exposures },
      };
      if (request.doNotStore) return { ...answer, degraded: [...degraded], stages: stages.ended };
      const expiresAtMs = storeLists(shown, { ...answer, rival }, nowMs);
      stages.end('keep');
      if (expiresAtMs === undefined) degraded.add('not_kept');
      for (const list of answer.lists) list.expiresAtMs = expiresAtMs;
      return { ...answer, degraded: [...degraded], stages: stages.ended };
    },
    explainAfterwards: afterwards.explain,
    fillList,
  };
}

/** Returns a function that stores lists and returns their expiry, if they can be written. */
function createStoreLists({ environments, listStore }: RecommendationPipelineOptions) {
  return (request: RecommendationRequest, answer: TeamedAnswer, nowMs: number) => {
    const { environment, body, isRobot } = request;
    const lifetimeMs = listLifetimeMs(environments.get(environment)!.settings);
    const lists = new Map(answer.lists.map((list) => [list.listKey, storedList(answer, list, request)]));
    const [first] = lists.values();
    if (first) {
      first.listCount = lists.size;
      if (body !== undefined && body.length <= longestStoredBody)
        first.asked = { body, atMs: nowMs, isRobot };
    }
    return listStore.store(environment, lists, lifetimeMs);
  };
}

/** Combines lists with the names in their request. Lists that are not stored have no keys. */
export function answerOf(
  request: RecommendationRequest,
  requestId: string,
  { userGroup, version, isFallback }: Identity & { isFallback: boolean },
  lists: readonly List[],
): Recommendation {
  const secret = request.doNotStore ? undefined : newListSecret();
  return {
    deviceId: request.deviceId,
    userId: request.userId,
    requestId,
    userGroup: isFallback ? 'fallback' : userGroup,
    version,
    lists: request.lists.map(({ configurationId, listName, limit }, i) => ({
      ...lists[i],
      configurationId,
      listName,
      listKey: secret === undefined ? '' : listKeyOf(listRowOf(requestId, i), secret),
      limit,
    })),
  };
}

type TeamedAnswer = Recommendation & { rival?: Rival };

function storedList(
  { deviceId, userId, requestId, userGroup, version, rival }: TeamedAnswer,
  { configurationId, listName, items }: RecommendedList,
  { fields, lists }: RecommendationRequest,
): StoredList {
  const hasGaps = items.some(({ rank }, place) => rank !== place + 1);
  const { injected } = lists.find((list) => list.listName === listName)!;
  return {
    kind: 'recommendations',
    configurationId,
    listName,
    deviceId,
    userId,
    requestId,
    userGroup,
    version,
    items: items.map(({ itemId, itemType }) => [itemId, itemType]),
    fields: fields?.length ? fields : undefined,
    ranks: hasGaps ? items.map(({ rank }) => rank) : undefined,
    placed: injectedPositions(injected, items),
    teams: rival && {
      ...{ experimentId: rival.experimentId, ofItems: items.map(({ team = '' }) => team) },
    },
  };
}

/** Returns the positions of injected items; undefined if there are none. */
function injectedPositions(
  injected: ListRequest['injected'],
  items: readonly { itemId: string; rank: number }[],
): number[] | undefined {
  const idAt = new Map(injected.map(({ itemId, rank }) => [rank, itemId]));
  const positions = items.flatMap(({ itemId, rank }, i) => (idAt.get(rank) === itemId ? [i] : []));
  return positions.length > 0 ? positions : undefined;
}
