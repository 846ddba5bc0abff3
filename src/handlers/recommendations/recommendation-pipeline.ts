/**
 * From a request to its lists: identify → history → variables → candidates → compose → keep → answer.
 *
 * One read (the history) and one write (the lists), both shared with concurrent requests. What is between them is done at once,
 * here or in a thread, so it works on one state of catalogue, models and configurations. When the history is not there in
 * time, trending items within the same rules answer.
 */

import type { Logger } from 'pino';
import { DomainError } from '../../errors.ts';
import { type HistoryReader, noHistory } from '../../events/histories/history-reader.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { newAnswerId } from '../../ranking/lists/answer-id.ts';
import { readsImpressions } from '../../ranking/lists/list-ingredients.ts';
import { createListMaker, type RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { type Identity, identify } from '../../ranking/lists/person/identify.ts';
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
import { createStages } from '../../ranking/lists/stages.ts';
import type { ActiveConfiguration, ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import type { Forgetting } from '../../ranking/runtime/forgetting.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { withinTime } from '../../ranking/runtime/within-time.ts';
import { listKeyOf, listRowOf, newListSecret } from '../lists/list-key.ts';
import type { ListStore, StoredList, StoredRequest } from '../lists/list-store.ts';
import { createTimelyNames } from '../lists/timely-names.ts';
import { type Afterwards, createAfterwards } from './explain-afterwards.ts';
import { createFillList, type FillList } from './fill-list.ts';
import { createListsInTime } from './lists-in-time.ts';

export type RecommendationPipeline = {
  recommend(request: RecommendationRequest): Promise<ServedRecommendation>;
  /** Explains an answer later; see explain-afterwards.ts. */
  explainAfterwards: Afterwards['explain'];
  /** Fills a kept list up; see fill-list.ts. */
  fillList: FillList;
};

/** Longer requests are only remembered, not kept with their lists, so that they cannot fill the database. */
const longestKeptBody = 16_384;

export type RecommendationPipelineOptions = {
  readHistory: HistoryReader;
  environments: ReadonlyMap<string, ServingEnvironment>;
  configurations: ActiveConfigurations;
  listStore: ListStore;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
  /** In another thread, maybe [in this one]. */
  makeLists?: RemoteListMaker;
  /** Runs a named part of the work, for traces. */
  step?: <T>(name: string, work: () => T) => T;
  forgetting?: Forgetting;
};

export function createRecommendationPipeline(options: RecommendationPipelineOptions): RecommendationPipeline {
  const {
    readHistory,
    environments,
    configurations,
    listStore,
    clock,
    logger,
    step = (_, work) => work(),
    forgetting,
  } = options;
  const makeHere = createListMaker();
  const makeInTime = createListsInTime(options.makeLists ?? makeHere, makeHere);
  const parts = { environments, configurations, listStore, readHistory, makeLists: makeHere };
  const afterwards = createAfterwards({ ...parts, forgetting });
  const fillList = createFillList({ ...parts, clock });
  const newKeptId = createTimelyNames({
    lists: listStore,
    draw: newAnswerId,
    rowOf: (id) => listRowOf(id, 0),
  });
  const warnOfLists = createSparingWarning(logger, 'The lists were not kept in time; they cannot be paged.');
  /**
   * The answer does not wait for its lists beyond the deadline; they may then not be there to be paged. Otherwise it resolves
   * with the moment at which they expire.
   */
  const keep = async (request: RecommendationRequest, answer: Recommendation, nowMs: number) => {
    const { environment, deadlineMs } = request;
    const lifetimeMs = environments.get(environment)!.settings.listLifetimeMinutes * 60_000;
    const lists = new Map(answer.lists.map((list) => [list.listKey, cachedList(answer, list, request)]));
    const [first] = lists.values();
    if (first) Object.assign(first, { listCount: lists.size, asked: askedOf(request, nowMs) });
    const stored = listStore.store(environment, lists, lifetimeMs);
    return withinTime(deadlineMs - performance.now(), stored, (failure) =>
      warnOfLists({ environment, answer_id: answer.requestId, err: failure }),
    );
  };

  return {
    async recommend(request) {
      const environment = environments.get(request.environment)!;
      const identity = identify(request, environment.settings);
      const active = request.lists.map(({ configurationId }) =>
        activeConfiguration(configurations, configurationId),
      );
      const countsImpressions = readsImpressions(environment, active);
      const isPersonal = identity.lists === 'recommended';
      const stages = createStages();
      const degraded = new Set<Degradation>();
      if (identity.lists !== 'empty' && environment.models.byteLength === 0) degraded.add('no_models');
      const reader = { ...request, onLack: (lack: HistoryLack) => void degraded.add(lack) };
      const history = isPersonal ? await readHistory(reader, countsImpressions) : noHistory;
      stages.end('history');
      const requestId = request.doNotStore ? newAnswerId() : newKeptId(request.environment);
      const nowMs = clock();
      environment.trends.renew(nowMs / 1000);
      const ingredients = { request, environment, identity, active, history, requestId, nowMs };
      /** Before they are made: models may be replaced while a thread is at it. */
      if (!request.doNotStore) afterwards.remember(ingredients);
      const { lists, isLate } = await step('make lists', () => makeInTime(ingredients));
      stages.end('lists');
      if (isLate) degraded.add('deadline');
      const isFallback = isPersonal && (isLate || history === undefined);
      const shown = isFallback ? { ...identity, userGroup: 'fallback' } : identity;
      const answer = answerOf(request, requestId, shown, lists);
      const said = () => ({ degraded: [...degraded], stages: stages.ended });
      if (request.doNotStore) return { ...unkept(answer), ...said() };
      const expiresAtMs = await keep(request, answer, nowMs);
      stages.end('keep');
      if (expiresAtMs === undefined) degraded.add('not_kept');
      return { ...answer, lists: answer.lists.map((list) => ({ ...list, expiresAtMs })), ...said() };
    },
    explainAfterwards: afterwards.explain,
    fillList,
  };
}

function activeConfiguration(
  configurations: ActiveConfigurations,
  configurationId: string,
): ActiveConfiguration {
  const active = configurations.find(configurationId);
  if (active) return active;
  throw new DomainError(
    'CONFIGURATION_UNKNOWN',
    `There is no configuration ${JSON.stringify(configurationId)}.`,
    {
      metadata: { configuration_id: configurationId },
    },
  );
}

/** Lists that nobody can page have no keys. */
function unkept(answer: Recommendation): Recommendation {
  return { ...answer, lists: answer.lists.map((list) => ({ ...list, listKey: '' })) };
}

function answerOf(
  request: RecommendationRequest,
  requestId: string,
  identity: Identity,
  made: List[],
): Recommendation {
  const secret = newListSecret();
  return {
    deviceId: request.deviceId,
    userId: request.userId,
    requestId,
    userGroup: identity.userGroup,
    version: identity.version,
    lists: request.lists.map(
      (list, i): RecommendedList => ({
        configurationId: list.configurationId,
        configurationVersion: made[i].configurationVersion,
        listName: list.listName,
        listKey: listKeyOf(listRowOf(requestId, i), secret),
        items: made[i].items,
        limit: list.limit,
        unmet: made[i].unmet,
        steps: made[i].steps,
        explanation: made[i].explanation,
      }),
    ),
  };
}

function askedOf({ body, isRobot }: RecommendationRequest, atMs: number): StoredRequest | undefined {
  return body !== undefined && body.length <= longestKeptBody ? { body, atMs, isRobot } : undefined;
}

function cachedList(
  answer: Recommendation,
  { items, ...list }: RecommendedList,
  { fields, lists }: RecommendationRequest,
): StoredList {
  const hasGaps = items.some(({ rank }, place) => rank !== place + 1);
  const { injected } = lists.find(({ listName }) => listName === list.listName)!;
  return {
    kind: 'recommendations',
    configurationId: list.configurationId,
    listName: list.listName,
    deviceId: answer.deviceId,
    userId: answer.userId,
    requestId: answer.requestId,
    userGroup: answer.userGroup,
    version: answer.version,
    items: items.map(({ itemId, itemType }) => [itemId, itemType]),
    fields: fields?.length ? fields : undefined,
    ranks: hasGaps ? items.map(({ rank }) => rank) : undefined,
    placed: placesOf(injected, items),
  };
}

/** Where what the request placed stands; undefined when nothing does. */
function placesOf(
  injected: ListRequest['injected'],
  items: readonly { itemId: string; rank: number }[],
): number[] | undefined {
  if (injected.length === 0) return undefined;
  const idAt = new Map(injected.map(({ itemId, rank }) => [rank, itemId]));
  const places = items.flatMap(({ itemId, rank }, place) => (idAt.get(rank) === itemId ? [place] : []));
  return places.length > 0 ? places : undefined;
}
