/** The components that answer requests (intake, histories, pipelines, lists, feedback, audiences, trainings) and background work. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Deployment } from '../deployment/deployment.ts';
import { createEventAggregation, type EventAggregation } from '../events/aggregation.ts';
import { createHistoryReader, type HistoryReader } from '../events/histories/history-reader.ts';
import { createEventIntake } from '../events/intake.ts';
import { isImpression } from '../events/meaning.ts';
import { createNameLimits } from '../events/name-limits.ts';
import { createDeletionFollower } from '../events/people/deletion-follower.ts';
import { createPeople } from '../events/people/people.ts';
import { createProgressFollower, type ProgressFollower } from '../events/progress-follower.ts';
import { createRecordedSubjects, type RecordedSubjects } from '../events/recorded-subjects.ts';
import { createRequestRecorder } from '../events/request-recorder.ts';
import { createServedCalls } from '../events/served-calls.ts';
import { createTrendFeed } from '../events/trend-feed.ts';
import { readPlan } from '../handlers/batches/batch-request.ts';
import { createImports } from '../handlers/imports/run-imports.ts';
import { createListStore, type ListStore } from '../handlers/lists/list-store.ts';
import { createPreview } from '../handlers/previews/preview.ts';
import { createRecommendationPipeline } from '../handlers/recommendations/recommendation-pipeline.ts';
import { createTeamCredit } from '../handlers/recommendations/team-credit.ts';
import { createCompletionIds } from '../handlers/searches/completion-ids.ts';
import { createQueryCompletions } from '../handlers/searches/queries/query-completions.ts';
import { createQueryCounts } from '../handlers/searches/queries/query-counts.ts';
import { createRecordQuery } from '../handlers/searches/queries/record-query.ts';
import { createTypedQueries } from '../handlers/searches/queries/typed-queries.ts';
import { createAudienceMembers } from '../handlers/searches/replica/audience-members.ts';
import { createSearchFeedback } from '../handlers/searches/replica/click-replica.ts';
import { createPopularQueries } from '../handlers/searches/replica/popular-queries.ts';
import { createSearchPipeline } from '../handlers/searches/search-pipeline.ts';
import { createAudiences } from '../jobs/audiences/audiences.ts';
import { createAnswerer } from '../jobs/batches/answer-subjects.ts';
import { type Batches, createBatches } from '../jobs/batches/batches.ts';
import { createGuarantees } from '../jobs/guarantees/guarantees.ts';
import { createDayCounting } from '../jobs/performance/count-days.ts';
import { defaultThreadCount } from '../jobs/training/machine.ts';
import { createTrainer } from '../jobs/training/trainer.ts';
import { createServingModels } from '../ranking/environment/serving-models.ts';
import { completeWeights, eventWeight } from '../ranking/models/event-weights.ts';
import type { HoldingPeople } from '../ranking/runtime/forgetting.ts';
import { createSteeredSearch } from '../ranking/search/serving/steered-search.ts';
import type { EventRow } from '../repository/event-row.ts';
import { createPendingEvents, type PendingEvents } from '../repository/events/pending-events.ts';
import { createSubjectFilter, type SubjectFilter } from '../repository/events/subject-filter.ts';
import { claimNodeStart } from '../repository/feeds.ts';
import { createLaneKeeper, type LaneKeeper } from '../repository/lanes.ts';
import { createMaintenance } from '../repository/maintenance.ts';
import type { Retention } from '../repository/retention/retention.ts';
import type { Step } from '../servers/telemetry/call-scope.ts';
import type { ListCounts } from '../servers/telemetry/service-metrics.ts';
import { countingOf } from './counting.ts';
import type { Node } from './node.ts';
import { createPeriodicJobs } from './periodic-jobs.ts';
import type { Replicas } from './replicas.ts';

/** With more items and no models, a node starts without waiting for the first training and serves the newest items. */
const maxItemsTrainedAtStart = 2_000;

/** Unique name of this process. */
export const nodeName = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;

/** Background work from `start` to `stop`; `start` may wait for what requests need. */
export type Background = { start?(): void | Promise<void>; stop(): Promise<void> };

export type Serving = ReturnType<typeof createServing>;

/** @param threadCount Threads that share a training; with 0 the node trains only what it needs to start. */
export function createServing(node: Node, replicas: Replicas, threadCount = defaultThreadCount()) {
  const { db, bucketCount, connection, deployment, clock, logger, forgetting } = node;
  const lists: ListCounts = { kept: 0, found: 0, missing: 0 };
  const filter = createSubjectFilter();
  const nameLimits = createNodeNameLimits(node);
  const counting = countingOf(deployment, nameLimits);
  const pending = createNodePending(bucketCount, filter, counting);
  const lanes = createLaneKeeper({ db, node: nodeName, onTaken: pending.beginAt, logger });
  const aggregation = createEventAggregation({ db, bucketCount, pending, ...counting, logger });
  const { intake, trendFeed } = createIntake(node, replicas, {
    ...{ lanes, pending, aggregation },
    credit: (event) => creditTeam(event),
  });
  const deletionFollower = createDeletionFollower({ db, forgetting, logger });
  const { follow: forgetDeleted } = deletionFollower;
  const servedCalls = createServedCalls({ ...node, names: nameLimits, forgetDeleted });
  const listStore = watchLists(createListStore(node), { step: node.telemetry.step, lists });
  const creditTeam = createTeamCredit({
    ...{ listStore, servedCalls, logger },
    settingsOf: (name) => node.served.get(name),
    experimentsOf: replicas.experiments.servedIn,
  });
  const audiences = createAudiences({ db, connection, environments: [...node.served.values()], logger });
  const { trainer, modelsServedAtMs } = createTraining(node, replicas, { threadCount, audiences });
  const progressFollower = createProgressFollower({ db, lane: () => lanes.lane, pending, logger });
  const recordedSubjects = createRecordedSubjects({ db, filter, pending, progressFollower });
  const parts = { listStore, pending, progressFollower, recordedSubjects, forgetDeleted };
  const pipelines = createPipelines(node, replicas, parts);
  const { recorder, feedback, queryCounts, completionIds, typedQueries } = pipelines;
  const batches = createNodeBatches(node, replicas, pending);
  const imports = createImports({ ...node, node: nodeName, replica: replicas.items });
  const holders = [{ flush: servedCalls.flushPeople }, recorder, queryCounts, typedQueries];
  const people = createPeople({ db, catchUp: aggregation.catchUp, holders, forgetDeleted });
  /** Resolves when the counts include all calls and events until now. */
  const completeCounts = async () => void (await Promise.all([servedCalls.settle(), aggregation.catchUp()]));
  const dayCounting = createNodeDayCounting(node, replicas, completeCounts);
  /** In the order of their start: events, trainings and search indexes first, since answers need them. */
  const background: Background[] = [
    deletionFollower,
    nameLimits,
    aggregation,
    lanes,
    progressFollower,
    trendFeed,
    trainer,
    replicas.indexUpkeep,
    ...[replicas.synonyms, replicas.pages],
    pipelines.audienceMembers,
    pipelines.popularQueries,
    typedQueries,
    listStore,
    audiences,
    batches,
    imports,
    ...createPeriodicJobs(node, replicas, { ...pipelines, nodeName, completeCounts, audiences, dayCounting }),
    recorder,
    servedCalls,
    feedback,
    { start: completionIds.start, stop: async () => undefined },
    queryCounts,
    createMaintenance({ db, retentions: retentionsOf(deployment), clock, logger }),
    /** Last: each thread uses a core while it starts, and lists can be computed without them. */
    replicas.listThreads,
  ];
  return {
    ...pipelines,
    ...{ intake, pending, aggregation, completeCounts, dayCounting, servedCalls, nameLimits },
    ...{ listStore, lists, audiences, batches, imports, people, trainer, modelsServedAtMs, background },
  };
}

type PipelineParts = Pick<HoldingPeople, 'forgetDeleted'> & {
  listStore: ListStore;
  pending: PendingEvents;
  progressFollower: ProgressFollower;
  recordedSubjects: RecordedSubjects;
};

function createNodePending(
  bucketCount: number,
  filter: SubjectFilter,
  { attributionWindow, limitNames, interpretationOf }: ReturnType<typeof countingOf>,
) {
  return createPendingEvents(bucketCount, attributionWindow, filter, limitNames, interpretationOf);
}

type IntakeParts = {
  lanes: LaneKeeper;
  pending: PendingEvents;
  aggregation: EventAggregation;
  credit(event: EventRow): void;
};

/** Stores events and counts them for trends. */
function createIntake(node: Node, replicas: Replicas, { lanes, pending, aggregation, credit }: IntakeParts) {
  const trendFeed = createNodeTrendFeed(node, replicas, () => lanes.lane);
  const { db, queues } = node;
  const { awaitRoom } = aggregation;
  const onStored = (event: EventRow) => {
    trendFeed.noteStored(event);
    credit(event);
  };
  return { intake: createEventIntake({ db, queues, lanes, pending, awaitRoom, onStored }), trendFeed };
}

function createNodeTrendFeed({ db, logger }: Node, { environments }: Replicas, lane: () => number) {
  const weights = new Map(
    Array.from(environments, ([name, { settings }]) => [name, completeWeights(settings.eventWeights)]),
  );
  return createTrendFeed({
    ...{ db, logger, lane, environments: [...environments.keys()] },
    interpretationOf: (environment) => environments.get(environment)!.settings,
    count(environment, { eventType, qualifier, itemType, itemId, atSeconds, subject }) {
      const isShown = isImpression(eventType);
      if (!isShown && eventWeight(weights.get(environment) ?? {}, eventType, qualifier) <= 0) return;
      const { catalog, trends } = environments.get(environment)!;
      const itemIndex = catalog.indexOfId(itemId, itemType);
      if (itemIndex === undefined) return;
      if (isShown) trends.show(itemIndex, atSeconds, subject);
      else trends.add(itemIndex, atSeconds, subject);
    },
  });
}

function createNodeNameLimits({ db, deployment, clock, logger }: Node) {
  const { environments, limits } = deployment;
  return createNameLimits({ db, environments, newNamesPerHour: limits.newNamesPerHour, clock, logger });
}

function retentionsOf({ environments }: Deployment): Retention[] {
  return Array.from(environments.values(), ({ name, retention, attributionWindowHours }) => ({
    environment: name,
    ...retention,
    attributionWindowMs: attributionWindowHours * 3_600_000,
  }));
}

function createNodeDayCounting(
  { db, served, clock, logger }: Node,
  { environments }: Replicas,
  completeCounts: () => Promise<void>,
) {
  return createDayCounting({ db, environments, settings: served, completeCounts, clock, logger });
}

/** Creates the pipelines of recommendations and searches. */
function createPipelines(
  { db, clock, logger, queues, telemetry: { step }, forgetting }: Node,
  replicas: Replicas,
  { listStore, pending, progressFollower, recordedSubjects, forgetDeleted }: PipelineParts,
) {
  const { environments, configurations, experiments, listThreads } = replicas;
  const { unchangedSince: unchangedByOthersSince } = progressFollower;
  const { lacks: lacksHistory } = recordedSubjects;
  const reading = { db, pending, unchangedByOthersSince, lacksHistory, logger, queues, forgetting };
  const readFromDatabase = createHistoryReader(reading);
  const readHistory: HistoryReader = (...wanted) => step('read history', () => readFromDatabase(...wanted));
  const holding = { db, forgetting, forgetDeleted, logger };
  const queryCounts = createQueryCounts(holding);
  const feedback = createSearchFeedback({ db, environments, logger });
  const completionIds = createCompletionIds(() => claimNodeStart(db));
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
  const experimentsOf = experiments.servedIn;
  const guarantees = createGuarantees({ db, environments, configurations, isImpression, clock, logger });
  const common = { environments, readHistory, listStore, experimentsOf, clock, logger, step, forgetting };
  return {
    ...{ readHistory, guarantees },
    recommendations: createRecommendationPipeline({
      ...common,
      configurations,
      makeLists,
      paceOf: guarantees.paceOf,
      spentOf: guarantees.spentOf,
    }),
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
  };
}

type TrainingOptions = { threadCount: number; audiences: ReturnType<typeof createAudiences> };

/** Creates the trainer, which publishes models to lists and audiences. */
function createTraining(node: Node, replicas: Replicas, { threadCount, audiences }: TrainingOptions) {
  const { environments, arrivalsOf, listThreads } = replicas;
  const modelsServedAtMs = new Map<string, number>();
  const trainer = createTrainer({
    db: node.db,
    connection: node.connection,
    environments: [...environments.keys()],
    settingsOf: (name) => environments.get(name)!.settings,
    scheduleOf: (name) => environments.get(name)!.settings.training,
    node: nodeName,
    threadCount,
    isLarge: (name) => environments.get(name)!.catalog.itemCount > maxItemsTrainedAtStart,
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

/** Creates the batches, which use the components that answer requests. */
function createNodeBatches(node: Node, replicas: Replicas, pending: PendingEvents): Batches {
  const { db, clock, logger } = node;
  const { environments, configurations, items } = replicas;
  return createBatches({
    db,
    node: nodeName,
    environments: [...environments.keys()],
    settingsOf: (name) => environments.get(name)!.settings.batches,
    answerer: createAnswerer({ db, pending, environments, configurations, clock }),
    readPlan: (name, kept) => readPlan(environments.get(name)!.settings, kept),
    catchUp: () => Promise.all([configurations.refresh(), items.refresh()]),
    clock,
    logger,
  });
}

/** Traces and counts the storing and finding of lists. */
function watchLists(store: ListStore, { step, lists }: { step: Step; lists: ListCounts }): ListStore {
  return {
    ...store,
    store(...kept) {
      const expiresAtMs = step('keep lists', () => store.store(...kept));
      if (expiresAtMs !== undefined) lists.kept += kept[1].size;
      return expiresAtMs;
    },
    async find(...wanted) {
      const list = await step('find list', () => store.find(...wanted));
      lists[list ? 'found' : 'missing'] += 1;
      return list;
    },
  };
}
