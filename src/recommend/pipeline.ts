/**
 * From a request to its lists: identify → history → variables → candidates → compose → keep → answer.
 *
 * One read (the history) and one write (the lists), both shared with concurrent requests. Everything between them is
 * synchronous, so it works on one state of catalogue, models and configurations. When the history is not there in
 * time, trending items within the same rules answer.
 */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ActiveConfiguration, ConfigurationReplica } from '../configurations/configuration-replica.ts';
import { DomainError } from '../errors.ts';
import { createBatcher } from '../repository/batcher.ts';
import type { Database } from '../repository/database.ts';
import { findHistories, type History, type HistoryLookup } from '../repository/histories.ts';
import { type Identity, identify } from './identify.ts';
import type { CachedList, ListCache } from './list-cache.ts';
import { createListMaker, type MadeList } from './list-maker.ts';
import type { Recommendation, RecommendationRequest, RecommendedList } from './request.ts';
import type { ServingEnvironment } from './serving-environment.ts';

/** Nothing is kept under this device id, so nothing is read either. */
export const anonymousDevice = 'anonymous';

const noHistory: History = { entries: [], impressions: [] };

const mostLookupsPerStatement = 200;
const mostWaiting = 20_000;

/** Of the time until the deadline, what is left for making and keeping the lists when the history is late. */
const reserveShare = 0.3;

export type Pipeline = { recommend(request: RecommendationRequest): Promise<Recommendation> };

export type PipelineOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  configurations: ConfigurationReplica;
  listCache: ListCache;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
};

export function createPipeline(options: PipelineOptions): Pipeline {
  const { db, environments, configurations, listCache, clock, logger } = options;
  const makeLists = createListMaker();
  const readHistory = createBatcher<HistoryLookup, History>({
    maxBatch: mostLookupsPerStatement,
    maxQueued: mostWaiting,
    concurrency: 2,
    run: (lookups) => findHistories(db, lookups),
  });

  /** Undefined when it did not come in time. */
  const findHistory = async (
    request: RecommendationRequest,
    withImpressions: boolean,
  ): Promise<History | undefined> => {
    const { environment, userId, deadlineMs } = request;
    const deviceId = request.deviceId === anonymousDevice ? undefined : request.deviceId;
    if (deviceId === undefined && userId === undefined) return noHistory;
    const waitMs = (deadlineMs - performance.now()) * (1 - reserveShare);
    return within(waitMs, readHistory({ environment, deviceId, userId, withImpressions }), (failure) =>
      logger.warn({ environment, err: failure }, 'The history was not read in time; answering without it.'),
    );
  };

  /** The answer does not wait for its lists beyond the deadline; they may then not be there to be paged. */
  const keep = async (request: RecommendationRequest, made: MadeList[], answer: Recommendation) => {
    const { environment, deadlineMs } = request;
    const lifetimeMs = environments.get(environment)!.settings.listLifetimeMinutes * 60_000;
    const lists = new Map(answer.lists.map((list, i) => [list.listKey, cachedList(answer, list, made[i])]));
    const stored = listCache.store(environment, lists, lifetimeMs).then(() => true);
    await within(deadlineMs - performance.now(), stored, (failure) =>
      logger.warn(
        { environment, request_id: answer.requestId, err: failure },
        'The lists were not kept in time; they cannot be paged.',
      ),
    );
  };

  return {
    async recommend(request) {
      const environment = environments.get(request.environment)!;
      const identity = identify(request, environment.settings);
      const active = request.lists.map(({ configurationId }) =>
        activeConfiguration(configurations, configurationId),
      );
      const countsImpressions = active.some(({ settings }) => settings.fatigue);
      const isPersonal = identity.lists === 'recommended';
      const history = isPersonal ? await findHistory(request, countsImpressions) : noHistory;
      const requestId = randomUUID();
      const made = makeLists({ request, environment, identity, active, history, requestId, nowMs: clock() });
      const shown = history ? identity : { ...identity, userGroup: 'fallback' };
      const answer = answerOf(request, requestId, shown, made);
      await keep(request, made, answer);
      return answer;
    },
  };
}

function activeConfiguration(
  configurations: ConfigurationReplica,
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

function answerOf(
  request: RecommendationRequest,
  requestId: string,
  identity: Identity,
  made: MadeList[],
): Recommendation {
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
        listKey: randomUUID(),
        items: made[i].items,
        limit: list.limit,
        unmet: made[i].unmet,
        explanation: made[i].explanation,
      }),
    ),
  };
}

function cachedList(answer: Recommendation, list: RecommendedList, { items }: MadeList): CachedList {
  const hasGaps = items.some(({ rank }, place) => rank !== place + 1);
  return {
    configurationId: list.configurationId,
    listName: list.listName,
    deviceId: answer.deviceId,
    userId: answer.userId,
    requestId: answer.requestId,
    userGroup: answer.userGroup,
    version: answer.version,
    items: items.map(({ itemId, itemType }) => [itemId, itemType]),
    ranks: hasGaps ? items.map(({ rank }) => rank) : undefined,
  };
}

/** The promise's value, or undefined when it does not come in time or fails; `onMissing` is told the failure. */
async function within<T>(
  waitMs: number,
  promise: Promise<T>,
  onMissing: (failure?: unknown) => void,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const giveUp = (failure?: unknown) => {
      onMissing(failure);
      resolve(undefined);
    };
    const timer = setTimeout(giveUp, Math.max(0, waitMs));
    promise.then(resolve, giveUp).finally(() => clearTimeout(timer));
  });
}
