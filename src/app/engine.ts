/** What answers are made by: intake, histories, pipelines, lists, feedback, audiences, trainings; and what runs beside requests. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Deployment } from '../deployment/deployment.ts';
import { createEventFolding, type EventFolding } from '../events/folding.ts';
import { createHistoryReader, type HistoryReader } from '../events/histories/history-reader.ts';
import { createEventIntake } from '../events/intake.ts';
import { createNameLimits, type NameLimits } from '../events/name-limits.ts';
import { createOtherFolds, type OtherFolds } from '../events/other-folds.ts';
import { createDeletionFollower } from '../events/people/deletion-follower.ts';
import { createPeople } from '../events/people/people.ts';
import { createRecordedPeople, type RecordedPeople } from '../events/recorded-people.ts';
import { createRequestRecorder } from '../events/request-recorder.ts';
import { createServedCalls } from '../events/served-calls.ts';
import { createTrendFeed } from '../events/trend-feed.ts';
import { readPlan } from '../handlers/batches/batch-request.ts';
import { createListStore, type ListStore } from '../handlers/lists/list-store.ts';
import { createPreview } from '../handlers/previews/preview.ts';
import { createRecommendationPipeline } from '../handlers/recommendations/recommendation-pipeline.ts';
import { createCompletionIds } from '../handlers/searches/completion-ids.ts';
import { createQueryCompletions } from '../handlers/searches/queries/query-completions.ts';
import { createQueryCounts } from '../handlers/searches/queries/query-counts.ts';
import { createRecordQuery } from '../handlers/searches/queries/record-query.ts';
import { createTypedQueries } from '../handlers/searches/queries/typed-queries.ts';
import { createAudienceMembers } from '../handlers/searches/replica/audience-members.ts';
import { createSearchFeedback } from '../handlers/searches/replica/click-replica.ts';
import { createPopularQueries } from '../handlers/searches/replica/popular-queries.ts';
import { createSynonymReplica } from '../handlers/searches/replica/synonym-replica.ts';
import { createSearchPipeline } from '../handlers/searches/search-pipeline.ts';
import { createAudiences } from '../jobs/audiences/audiences.ts';
import { createAnswerer } from '../jobs/batches/answer-subjects.ts';
import { type Batches, createBatches } from '../jobs/batches/batches.ts';
import { defaultThreadCount } from '../jobs/training/machine.ts';
import { createTrainer } from '../jobs/training/trainer.ts';
import { createServingModels } from '../ranking/environment/serving-models.ts';
import { completeWeights, eventWeight } from '../ranking/models/event-weights.ts';
import type { HoldingPeople } from '../ranking/runtime/forgetting.ts';
import { createSteeredSearch } from '../ranking/search/serving/steered-search.ts';
import type { ConsumingKinds } from '../repository/events/history-batch.ts';
import { createSubjectFilter } from '../repository/events/subject-filter.ts';
import { createUnfoldedEvents, type UnfoldedEvents } from '../repository/events/unfolded-events.ts';
import { claimBlock } from '../repository/feeds.ts';
import { createLaneKeeper, type LaneKeeper } from '../repository/lanes.ts';
import { createMaintenance } from '../repository/maintenance.ts';
import type { Retention } from '../repository/retention/retention.ts';
import type { Step } from '../servers/telemetry/call-scope.ts';
import type { ListCounts } from '../servers/telemetry/service-metrics.ts';
import { followIntervalMs, type Memory } from './memory.ts';
import type { Node } from './node.ts';

/** Of an environment without models: a start that finds more serves the newest items until the first training is done. */
const mostItemsTrainedFirst = 2_000;

/** Of this process, and of no other. */
const nodeName = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;

const hourMs = 3_600_000;
const defaultAttributionHours = 24;

/** Runs beside requests from `start` to `stop`; a start may wait for what requests need first. */
export type Background = { start?(): void | Promise<void>; stop(): Promise<void> };

export type Engine = ReturnType<typeof createEngine>;

/** `threadCount` threads share a training; 0: this node trains nothing but what it needs to start. */
export function createEngine(node: Node, memory: Memory, threadCount = defaultThreadCount()) {
  const { db, bucketCount, connection, deployment, clock, logger, queues, forgetting } = node;
  const lists: ListCounts = { kept: 0, found: 0, missing: 0 };
  const filter = createSubjectFilter();
  const nameLimits = createNodeNameLimits(node);
  const counting = countingOf(deployment, nameLimits);
  const unfolded = createUnfoldedEvents(bucketCount, counting.attributionWindow, filter, counting.limitNames);
  forgetting.add(unfolded.counted.forget);
  const lanes = createLaneKeeper({ db, node: nodeName, onTaken: unfolded.beginAt, logger });
  const folding = createEventFolding({ db, bucketCount, unfolded, ...counting, logger });
  const { intake, trendFeed } = createIntake(node, memory, { lanes, unfolded, folding });
  const deletionFollower = createDeletionFollower({ db, forgetting, logger });
  const { follow: forgetDeleted } = deletionFollower;
  const holding = { forgetting, forgetDeleted };
  const servedCalls = createServedCalls({ db, clock, logger, names: nameLimits, queues, ...holding });
  const { step } = node.telemetry;
  const listStore = watchLists(createListStore({ db, bucketCount, clock, logger, queues }), { step, lists });
  const audiences = createAudiences({ db, connection, environments: [...node.served.values()], logger });
  const { trainer, modelsServedAtMs } = createTraining(node, memory, { threadCount, audiences });
  const otherFolds = createOtherFolds({ db, lane: () => lanes.lane, unfolded, logger });
  const recordedPeople = createRecordedPeople({ db, filter, unfolded, otherFolds });
  const parts = { listStore, unfolded, otherFolds, recordedPeople, forgetDeleted };
  const pipelines = createPipelines(node, memory, parts);
  const { recorder, feedback, queryCounts, completionIds, synonyms, typedQueries } = pipelines;
  const batches = createNodeBatches(node, memory, unfolded);
  const maintenance = createMaintenance({ db, retentions: retentionsOf(deployment), clock, logger });
  const holders = [{ flush: servedCalls.flushPeople }, recorder, queryCounts, typedQueries];
  const people = createPeople({ db, catchUp: folding.catchUp, holders, forgetDeleted });
  /** What was served and done until now is in the counts then. */
  const completeCounts = async () => void (await Promise.all([servedCalls.settle(), folding.catchUp()]));
  /** In the order of their start; events, trainings and what is found by searching come first, for answers need them. */
  const background: Background[] = [
    deletionFollower,
    nameLimits,
    folding,
    lanes,
    otherFolds,
    trendFeed,
    trainer,
    memory.indexUpkeep,
    synonyms,
    pipelines.audienceMembers,
    pipelines.popularQueries,
    typedQueries,
    listStore,
    audiences,
    batches,
    recorder,
    servedCalls,
    feedback,
    { start: completionIds.start, stop: async () => undefined },
    queryCounts,
    maintenance,
    /** Last, since each takes a core for a while, and lists are made without them, too. */
    memory.listThreads,
  ];
  return {
    ...pipelines,
    intake,
    unfolded,
    folding,
    completeCounts,
    servedCalls,
    nameLimits,
    listStore,
    audiences,
    batches,
    people,
    trainer,
    modelsServedAtMs,
    lists,
    background,
  };
}

type PipelineParts = Pick<HoldingPeople, 'forgetDeleted'> & {
  listStore: ListStore;
  unfolded: UnfoldedEvents;
  otherFolds: OtherFolds;
  recordedPeople: RecordedPeople;
};

/**
 * Of all environments together: what one of them keeps for another's sake is not looked at. Nor is what turns out to be of a type
 * that is not consumed so, of items without one: an event may have told none before the catalogue knew the item.
 */
function consumingKindsOf({ environments }: Deployment): ConsumingKinds {
  const kinds = new Set<string>();
  for (const { itemTypes } of environments.values())
    for (const { name, consumedBy } of itemTypes.values())
      for (const eventType of consumedBy) kinds.add(`${eventType}\t${name}`).add(`${eventType}\t`);
  return kinds;
}

type IntakeParts = { lanes: LaneKeeper; unfolded: UnfoldedEvents; folding: EventFolding };

/** Stores events and counts them for trends. */
function createIntake(node: Node, memory: Memory, { lanes, unfolded, folding }: IntakeParts) {
  const trendFeed = createNodeTrendFeed(node, memory, () => lanes.lane);
  const { db, queues } = node;
  const [awaitRoom, onStored] = [folding.awaitRoom, trendFeed.noteStored];
  return { intake: createEventIntake({ db, queues, lanes, unfolded, awaitRoom, onStored }), trendFeed };
}

function createNodeTrendFeed({ db, logger }: Node, { environments }: Memory, lane: () => number) {
  const weights = new Map(
    Array.from(environments, ([name, { settings }]) => [name, completeWeights(settings.eventWeights)]),
  );
  return createTrendFeed({
    ...{ db, logger, lane, environments: [...environments.keys()] },
    count(environment, { eventType, itemType, itemId, atSeconds, subject }) {
      if (eventWeight(weights.get(environment) ?? {}, eventType) <= 0) return;
      const { catalog, trends } = environments.get(environment)!;
      const itemIndex = catalog.indexOfId(itemId, itemType);
      if (itemIndex !== undefined) trends.add(itemIndex, atSeconds, subject);
    },
  });
}

function createNodeNameLimits({ db, deployment, clock, logger }: Node) {
  const { environments, limits } = deployment;
  return createNameLimits({ db, environments, newNamesPerHour: limits.newNamesPerHour, clock, logger });
}

/** How events are counted. */
function countingOf(deployment: Deployment, { limit: limitNames }: NameLimits) {
  /** Events of an environment that the deployment has no more may still be in the database. */
  const attributionWindow = (name: string) =>
    (deployment.environments.get(name)?.attributionWindowHours ?? defaultAttributionHours) * hourMs;
  return { attributionWindow, limitNames, consuming: consumingKindsOf(deployment) };
}

function retentionsOf({ environments }: Deployment): Retention[] {
  return Array.from(environments.values(), ({ name, retention, attributionWindowHours }) => ({
    environment: name,
    ...retention,
    attributionWindowMs: attributionWindowHours * hourMs,
  }));
}

/** Makes lists of recommendations and of what was searched. */
function createPipelines(
  { db, clock, logger, queues, telemetry, forgetting }: Node,
  memory: Memory,
  { listStore, unfolded, otherFolds, recordedPeople, forgetDeleted }: PipelineParts,
) {
  const { environments, configurations, listThreads } = memory;
  const { step } = telemetry;
  const { noneSince: noneFoldedByOthersSince } = otherFolds;
  const { lacks: lacksHistory } = recordedPeople;
  const reading = { db, unfolded, noneFoldedByOthersSince, lacksHistory, logger, queues, forgetting };
  const readFromDatabase = createHistoryReader(reading);
  const readHistory: HistoryReader = (...wanted) => step('read history', () => readFromDatabase(...wanted));
  const holding = { db, forgetting, forgetDeleted, logger };
  const queryCounts = createQueryCounts(holding);
  const feedback = createSearchFeedback({ db, environments, logger });
  const completionIds = createCompletionIds({ claimBlock: () => claimBlock(db), logger });
  const typedQueries = createTypedQueries(holding);
  const popularQueries = createPopularQueries({ db, environments, logger });
  const audienceMembers = createAudienceMembers({
    db,
    environments: [...environments.keys()],
    configurations: configurations.searching,
    forgetting,
    logger,
  });
  const steer = createSteeredSearch({
    configurations: configurations.searching,
    isInAudience: audienceMembers.has,
  });
  const { makeLists } = listThreads;
  const common = { environments, readHistory, listStore, clock, logger, step, forgetting };
  return {
    recommendations: createRecommendationPipeline({ ...common, configurations, makeLists }),
    preview: createPreview({ ...common, findConfiguration: configurations.find, makeLists }),
    searches: createSearchPipeline({
      ...common,
      feedback,
      completionIds,
      steer,
      recordQuery: createRecordQuery({ queryCounts, typedQueries }),
      completeQuery: createQueryCompletions({ typedQueries, popularQueries }),
    }),
    recorder: createRequestRecorder(holding),
    queryCounts,
    feedback,
    completionIds,
    audienceMembers,
    typedQueries,
    popularQueries,
    synonyms: createSynonymReplica({ db, environments, intervalMs: followIntervalMs, logger }),
  };
}

type TrainingOptions = { threadCount: number; audiences: ReturnType<typeof createAudiences> };

/** Trains models and serves with those that are published, audiences too. */
function createTraining(node: Node, memory: Memory, { threadCount, audiences }: TrainingOptions) {
  const { environments, arrivalsOf, listThreads } = memory;
  const modelsServedAtMs = new Map<string, number>();
  const trainer = createTrainer({
    db: node.db,
    connection: node.connection,
    environments: [...environments.keys()],
    settingsOf: (name) => environments.get(name)!.settings,
    scheduleOf: (name) => environments.get(name)!.settings.training,
    node: nodeName,
    threadCount,
    isLarge: (name) => environments.get(name)!.catalog.itemCount > mostItemsTrainedFirst,
    async serve(name, buffer) {
      const environment = environments.get(name)!;
      const models = await createServingModels(
        buffer,
        environment.catalog,
        environment.settings,
        environment.trends.view,
      );
      const handed = listThreads.handOver(name, buffer, models);
      await handed.awaitThreads();
      await arrivalsOf(name).prepare(models);
      environment.models = models;
      handed.use();
      modelsServedAtMs.set(name, node.clock());
      audiences.serveWith(name, buffer);
    },
    clock: node.clock,
    logger: node.logger,
  });
  return { trainer, modelsServedAtMs };
}

/** Lists for many people, made with what requests are answered by. */
function createNodeBatches(node: Node, memory: Memory, unfolded: UnfoldedEvents): Batches {
  const { db, clock, logger } = node;
  const { environments, configurations, items } = memory;
  return createBatches({
    db,
    node: nodeName,
    environments: [...environments.keys()],
    settingsOf: (name) => environments.get(name)!.settings.batches,
    answerer: createAnswerer({ db, unfolded, environments, configurations, clock }),
    readPlan: (name, kept) => readPlan(environments.get(name)!.settings, kept),
    catchUp: () => Promise.all([configurations.refresh(), items.refresh()]),
    clock,
    logger,
  });
}

type ListWatch = { step: Step; lists: ListCounts };

/** Keeping and finding lists as steps of a call, and counted. */
function watchLists(store: ListStore, { step, lists }: ListWatch): ListStore {
  return {
    ...store,
    async store(...kept) {
      const expiresAtMs = await step('keep lists', () => store.store(...kept));
      lists.kept += kept[1].size;
      return expiresAtMs;
    },
    async find(...wanted) {
      const list = await step('find list', () => store.find(...wanted));
      lists[list ? 'found' : 'missing'] += 1;
      return list;
    },
  };
}
