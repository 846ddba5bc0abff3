/** The only wiring: database → repositories → replicas → models → operations → servers. */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { routes } from '../gen/rest/routes.ts';
import { createAudiences } from './audiences/audiences.ts';
import { createItemReplica } from './catalog/item-replica.ts';
import { createConfigurationReplica } from './configurations/configuration-replica.ts';
import type { Deployment } from './deployment/deployment.ts';
import { createDoctor } from './doctor/doctor.ts';
import { DomainError } from './errors.ts';
import { createEventIntake } from './events/intake.ts';
import { createRobotCheck } from './events/robots.ts';
import { createAudienceHandlers } from './handlers/audiences.ts';
import { createClientHandlers } from './handlers/clients.ts';
import { parseStored } from './handlers/configuration-check.ts';
import { createConfigurationHandlers } from './handlers/configurations.ts';
import { createDiagnosisHandlers } from './handlers/diagnosis.ts';
import { createEventHandlers } from './handlers/events.ts';
import { createExperimentHandlers } from './handlers/experiments.ts';
import { createItemHandlers } from './handlers/items.ts';
import { loadDemo } from './handlers/load-demo.ts';
import { createMetricHandlers } from './handlers/metrics.ts';
import { createOperations } from './handlers/operations.ts';
import { createRecommendationHandlers } from './handlers/recommendations.ts';
import { createSearchHandlers } from './handlers/searches.ts';
import { createTokenHandlers } from './handlers/tokens.ts';
import { createTrainingHandlers } from './handlers/trainings.ts';
import { createBackfill } from './metrics/backfill.ts';
import { createServedCalls } from './metrics/served-calls.ts';
import { featuresOf } from './models/features.ts';
import { createArrivals } from './recommend/arrivals.ts';
import { createCompletionIds } from './recommend/completion-ids.ts';
import { createQueryCounts } from './recommend/feedback/query-counts.ts';
import { createSearchFeedback } from './recommend/feedback/search-feedback.ts';
import { createHistoryReader, type HistoryReader } from './recommend/history-reader.ts';
import { createIndexUpkeep } from './recommend/index-upkeep.ts';
import { createListCache, type ListCache } from './recommend/list-cache.ts';
import { createPipeline } from './recommend/pipeline.ts';
import { createRequestRecorder } from './recommend/request-recorder.ts';
import { createSearchPipeline } from './recommend/search-pipeline.ts';
import { createServingEnvironment } from './recommend/serving-environment.ts';
import { createServingModels } from './recommend/serving-models.ts';
import { createBatcher, type QueueLengths } from './repository/batcher.ts';
import { claimBlock } from './repository/completion-blocks.ts';
import { type Connection, createDatabase, type Database } from './repository/database.ts';
import { type ItemRow, type ItemWrite, upsertItems } from './repository/items.ts';
import { createMaintenance } from './repository/maintenance.ts';
import { migrate, pendingMigrations } from './repository/migrations.ts';
import { countTrainings } from './repository/training-counts.ts';
import { validateRequest } from './rest/codec.ts';
import { type AdminCredentials, ensureAdminCredentials } from './security/admin-credentials.ts';
import { createSecurity } from './security/security.ts';
import { createAdminServer } from './servers/admin.ts';
import { createConnectHandler } from './servers/connect.ts';
import { createDocuments } from './servers/documents.ts';
import { createGateway } from './servers/gateway.ts';
import { createGrpcServer } from './servers/grpc.ts';
import { createHttpServer, type Readiness } from './servers/http.ts';
import { type CallScope, createCallScope, type Step } from './telemetry/call-scope.ts';
import { type ListCounts, watchService } from './telemetry/service-metrics.ts';
import { createTelemetry } from './telemetry/telemetry.ts';
import type { TracerSettings } from './telemetry/tracer.ts';
import { contentOf } from './training/item-content.ts';
import { defaultThreadCount } from './training/machine.ts';
import { createTrainer } from './training/trainer.ts';

/** A change made on another node is seen after this long. */
const followIntervalMs = 250;
/** Statements of a node that run at once: two batches of each hot kind, followers, and a few single ones. */
const poolSize = 16;
const drainMs = 10_000;
const bodyTimeoutMs = 30_000;
const largestBodyBytes = 32 * 1024 * 1024;
const itemsPerTransaction = 200;
const itemsWaiting = 20_000;
/** Of an environment without models: a start that finds more serves the newest items until the first training is done. */
const mostItemsTrainedFirst = 2_000;

export type AppOptions = {
  deployment: Deployment;
  connection: Connection | string;
  /** Where the admin credentials are written. */
  dataDir: string;
  port: number;
  grpcPort: number;
  /** Threads that share a training; 0: this node trains nothing but what it needs to start [all cores but one, at most 4]. */
  trainingThreads?: number;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
  /** Port of metrics; undefined for none. */
  adminPort?: number;
  /** Instead of the deployment file's. */
  adminHost?: string;
  /** The logger's, so that its lines carry request ids. */
  scope?: CallScope;
  /** Undefined when calls are not traced. */
  traces?: TracerSettings;
};

export type App = {
  port: number;
  grpcPort: number;
  /** Undefined when there is none. */
  adminPort?: number;
  adminCredentials: AdminCredentials;
  stop(): Promise<void>;
};

/** Resolves when the service is ready: data loaded, models trained, ports open. */
export async function startApp(options: AppOptions): Promise<App> {
  const { deployment, connection, dataDir, clock, logger } = options;
  const telemetry = await createTelemetry({
    scope: options.scope ?? createCallScope(),
    measures: options.adminPort !== undefined,
    traces: options.traces,
  });
  const { observer, step, metrics } = telemetry;
  const db = createDatabase(connection, { poolSize, logger });
  await migrate(db);
  mkdirSync(dataDir, { recursive: true });
  const security = await createSecurity({ db, settings: deployment.authentication, clock });
  const adminCredentials = await ensureAdminCredentials({ dataDir, clients: security.clients });

  const settingsOf = [...deployment.environments.values()];
  const arrivals = new Map(settingsOf.map(({ name }) => [name, createArrivals()]));
  const replica = createItemReplica({
    db,
    environments: settingsOf,
    intervalMs: followIntervalMs,
    onChange({ environment, document }, itemIndex) {
      const item = document as Record<string, unknown>;
      indexUpkeep.apply(environment, itemIndex, item);
      arrivals.get(environment)!.add(itemIndex, () => featuresOf(contentOf(item)));
    },
    logger,
  });
  const configurationReplica = createConfigurationReplica({
    db,
    parse: parseStored,
    intervalMs: followIntervalMs,
    clock,
    logger,
  });
  const environments = new Map(
    settingsOf.map((settings) => [
      settings.name,
      createServingEnvironment(settings, replica.catalogOf(settings.name)),
    ]),
  );
  const queues: QueueLengths = new Map();
  const lists: ListCounts = { kept: 0, found: 0, missing: 0 };
  const modelsServedAtMs = new Map<string, number>();
  /** Events of an environment that the deployment has no more may still be in the database. */
  const attributionWindow = (name: string) =>
    (deployment.environments.get(name)?.attributionWindowHours ?? 24) * 3_600_000;
  const intake = createEventIntake({ db, queues, attributionWindow });
  const backfill = createBackfill({ db, attributionWindow, logger });
  const servedCalls = createServedCalls({ db, clock, logger });
  const listCache = watchLists(createListCache({ db, clock, logger, queues }), { step, lists });
  const readFromDatabase = createHistoryReader({ db, logger, queues });
  const readHistory: HistoryReader = (...wanted) => step('read history', () => readFromDatabase(...wanted));
  const queryCounts = createQueryCounts({ db, logger });
  const feedback = createSearchFeedback({ db, environments, logger });
  const completionIds = createCompletionIds({ claimBlock: () => claimBlock(db), logger });
  const searchPipeline = createSearchPipeline({
    environments,
    readHistory,
    listCache,
    feedback,
    queryCounts,
    completionIds,
    clock,
    logger,
    step,
  });
  const indexUpkeep = createIndexUpkeep({ db, environments, clock, logger });
  const pipeline = createPipeline({
    readHistory,
    environments,
    configurations: configurationReplica,
    listCache,
    clock,
    logger,
    step,
  });
  const recorder = createRequestRecorder({ db, logger });
  const isRobot = createRobotCheck();
  const audiences = createAudiences({ connection, environments: settingsOf, logger });
  const trainer = createTrainer({
    db,
    connection,
    environments: [...environments.keys()],
    eventWeightsOf: (name) => environments.get(name)!.settings.eventWeights,
    node: `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`,
    threadCount: options.trainingThreads ?? defaultThreadCount(),
    isLarge: (name) => environments.get(name)!.catalog.itemCount > mostItemsTrainedFirst,
    async serve(name, buffer) {
      const environment = environments.get(name)!;
      const models = await createServingModels(buffer, environment.catalog, environment.settings);
      await arrivals.get(name)!.prepare(models);
      environment.models = models;
      modelsServedAtMs.set(name, clock());
      audiences.serveWith(name, buffer);
    },
    clock,
    logger,
  });

  const items = createItemHandlers({ db, deployment, replica, upsert: createUpsert(db, queues) });
  const configurations = createConfigurationHandlers({
    db,
    deployment,
    replica: configurationReplica,
    environments,
    recorder,
    clock,
  });
  const events = createEventHandlers({ db, deployment, replica, intake, isRobot, clock, logger });
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  const operations = createOperations({
    implementations: [
      items,
      configurations,
      events,
      createRecommendationHandlers({ pipeline, listCache, environments, recorder, isRobot, servedCalls }),
      createSearchHandlers({
        db,
        pipeline: searchPipeline,
        queryCounts,
        listCache,
        environments,
        isRobot,
        servedCalls,
      }),
      createAudienceHandlers({
        db,
        audiences,
        environments,
        configurations: configurationReplica,
        servedCalls,
        clock,
      }),
      createMetricHandlers({ db, deployment, servedCalls }),
      createExperimentHandlers({ db, deployment, servedCalls, clock }),
      createDiagnosisHandlers({ doctor: createDoctor({ db, clock }), deployment, replica }),
      createTrainingHandlers({ db, trainer }),
      createTokenHandlers(security),
      createClientHandlers(security),
    ],
    authenticate(call, access, environment) {
      if (phase === 'starting')
        throw new DomainError('UNAVAILABLE', 'The service is starting; try again in a moment.');
      return security.authenticator.admit(call, access, environment);
    },
    limitRate: security.rateLimits.take,
    hasEnvironment: (name) => deployment.environments.has(name),
    validate: validateRequest,
  });

  const readiness = async (): Promise<Readiness> => {
    const pending = await pendingMigrations(db).catch(() => undefined);
    const checks = {
      database: pending ? 'ok' : 'unreachable',
      migrations: pending?.length === 0 ? 'ok' : 'pending',
      models: phase === 'starting' ? 'loading' : 'ok',
    };
    return { ready: phase === 'serving' && Object.values(checks).every((check) => check === 'ok'), checks };
  };
  const { basePath, server } = deployment;
  const tls = server.tls && {
    certificate: readFileSync(server.tls.certificate),
    key: readFileSync(server.tls.key),
  };
  const newRequestId = randomUUID;
  const http = createHttpServer({
    gateway: createGateway({
      operations,
      routes,
      basePath,
      corsOrigins: server.corsOrigins,
      limits: { bodyTimeoutMs, maxBodyBytes: largestBodyBytes },
      logger,
      observer,
      newRequestId,
    }),
    connect: createConnectHandler({ operations, newRequestId, observer, logger }),
    documents: createDocuments({ basePath, jwks: security.jwks }),
    readiness,
    newRequestId,
    tls,
  });
  const grpc = createGrpcServer({ operations, tls, newRequestId, observer, logger });
  const admin =
    metrics && createAdminServer({ host: options.adminHost ?? server.adminHost, expose: metrics.expose });
  const port = await http.listen(options.port);
  const grpcPort = await grpc.listen(options.grpcPort);
  if (metrics)
    watchService(metrics, {
      connections: () => connectionsOf(db),
      queues,
      itemCounts: () => settingsOf.map(({ name }) => [name, replica.catalogOf(name).itemCount]),
      modelsServedAtMs,
      trainings: () => countTrainings(db),
      storedEventCount: () => intake.storedCount,
      lists,
      clock,
    });
  const adminPort = await admin?.listen(options.adminPort!);

  await indexUpkeep.restore();
  await Promise.all([replica.start(), configurationReplica.start()]);
  if (deployment.demo) await loadDemo({ db, items, configurations, events, clock });
  await trainer.start();
  await indexUpkeep.start();
  listCache.start();
  audiences.start();
  recorder.start();
  servedCalls.start();
  backfill.start();
  await Promise.all([feedback.start(), completionIds.start()]);
  queryCounts.start();
  const maintenance = createMaintenance({ db, logger });
  maintenance.start();
  phase = 'serving';
  grpc.setServing(true);

  return {
    port,
    grpcPort,
    adminPort,
    adminCredentials,
    async stop() {
      phase = 'stopping';
      grpc.setServing(false);
      await Promise.all([http.close(drainMs), grpc.close(drainMs)]);
      await Promise.all([
        trainer.stop(),
        replica.stop(),
        configurationReplica.stop(),
        listCache.stop(),
        audiences.stop(),
        recorder.stop(),
        servedCalls.stop(),
        backfill.stop(),
        indexUpkeep.stop(),
        feedback.stop(),
        queryCounts.stop(),
        maintenance.stop(),
      ]);
      await Promise.all([admin?.close(), telemetry.stop()]);
      await db.close();
    },
  };
}

/** Concurrent writes of items share a transaction. */
function createUpsert(db: Database, lengths: QueueLengths): (item: ItemWrite) => Promise<ItemRow> {
  return createBatcher({
    maxBatch: itemsPerTransaction,
    maxQueued: itemsWaiting,
    queue: { name: 'items', lengths },
    run: (items: ItemWrite[]) => upsertItems(db, items),
  });
}

type ListWatch = { step: Step; lists: ListCounts };

/** Keeping and finding lists as steps of a call, and counted. */
function watchLists(cache: ListCache, { step, lists }: ListWatch): ListCache {
  return {
    ...cache,
    async store(...kept) {
      await step('keep lists', () => cache.store(...kept));
      lists.kept += kept[1].size;
    },
    async find(...wanted) {
      const list = await step('find list', () => cache.find(...wanted));
      lists[list ? 'found' : 'missing'] += 1;
      return list;
    },
  };
}

function connectionsOf({ pool }: Database) {
  const { idleCount: idle, totalCount, waitingCount: waiting } = pool;
  return { idle, busy: totalCount - idle, waiting };
}
