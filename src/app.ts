/** A node of the service from start to stop. `app/` creates its parts: node, replicas, serving, operations, servers. */

import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createDeploymentFit } from './app/deployment-fit.ts';
import { createKafkaTopics } from './app/kafka.ts';
import type { Node } from './app/node.ts';
import { createReplicas, type Replicas } from './app/replicas.ts';
import { createServedOperations } from './app/served-operations.ts';
import { createServers, watchNode } from './app/servers.ts';
import { createServing } from './app/serving.ts';
import { createNodeWebhooks } from './app/webhooks.ts';
import type { Deployment } from './deployment/deployment.ts';
import { longestPatienceMs } from './deployment/patience.ts';
import type { AggregationLag } from './events/aggregation.ts';
import { withinTime } from './ranking/runtime/within-time.ts';
import { bucketCountOf } from './repository/buckets.ts';
import { type Connection, createDatabase, type Database, isDatabaseFault } from './repository/database.ts';
import { migrate, pendingMigrations } from './repository/migrations.ts';
import { checkWritable } from './repository/server-check.ts';
import { type AdminCredentials, ensureAdminCredentials } from './security/admin-credentials.ts';
import { createSecurity } from './security/security.ts';
import { createSignInCode } from './security/sign-in-code.ts';
import type { Readiness } from './servers/http.ts';
import { type CallScope, createCallScope } from './servers/telemetry/call-scope.ts';
import { createTelemetry } from './servers/telemetry/telemetry.ts';
import type { TracerSettings } from './servers/telemetry/tracer.ts';

/** Readiness reports pending events that are older. */
const reportedLagSeconds = 5;

/** Time from the end of the drain to the end of the node. */
const usualStopMs = 10_000;

/** Shares of this time: for calls in progress, and for all parts but the database, the admin port and telemetry. */
const callsShare = 0.6;
const workShare = 0.9;

/** Concurrent statements of a node: two batches of each frequent kind, followers, and a few others. */
const poolSize = 16;

export type AppOptions = {
  deployment: Deployment;
  connection: Connection | string;
  /** Folder for the admin credentials. */
  dataDir: string;
  port: number;
  grpcPort: number;
  /** Names of the served environments [all]. */
  served?: readonly string[];
  /** Threads that share a training; with 0 the node trains only what it needs to start [all cores but one, at most 4]. */
  trainingThreads?: number;
  /** Threads that compute lists; with 0 the answering thread does [0]. */
  listThreads?: number;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
  /** Address of the HTTP and the gRPC port; overrides the deployment file. */
  host?: string;
  /** Port for metrics; absent for none. */
  adminPort?: number;
  /** Overrides the deployment file. */
  adminHost?: string;
  /** Creates a code that signs in to the console once. */
  signsInOnce?: boolean;
  /** The logger's scope, for request ids in its lines. */
  scope?: CallScope;
  /** Encrypts the stored key that signs access tokens; absent to store it unencrypted. */
  signingKeyPassphrase?: string;
  /** Absent to turn tracing off. */
  traces?: TracerSettings;
  /** Time between reporting not ready and refusing connections, for load balancers [0]. */
  drainMs?: number;
  /** Time for the stop after the drain [10 s]. */
  stopMs?: number;
};

export type App = {
  port: number;
  grpcPort: number;
  /** Absent without an admin port. */
  adminPort?: number;
  adminCredentials: AdminCredentials;
  /** Absent unless `signsInOnce` is set and the credentials exist. */
  signInCode?: string;
  stop(): Promise<void>;
};

type Phase = 'starting' | 'serving' | 'stopping';

/** Resolves when the service is ready: data loaded, models trained, ports open. */
export async function startApp(options: AppOptions): Promise<App> {
  const { deployment, dataDir, logger } = options;
  const node = await createNode(options);
  const { db } = node;
  mkdirSync(dataDir, { recursive: true });
  const { security, adminCredentials, signInCode } = await createAccess(options, db);

  let phase: Phase = 'starting';
  const replicas = createReplicas(node, options.listThreads);
  const serving = createServing(node, replicas, options.trainingThreads);
  const webhooks = createNodeWebhooks(node, security);
  const { operations, loadDemo, leaveDemo, addDemoAudience, receivers } = createServedOperations(node, {
    ...{ replicas, serving, security, webhooks },
    hasStarted: () => phase !== 'starting',
  });
  const topics = await createKafkaTopics(node, receivers);
  const fit = createDeploymentFit(node);
  const checkDatabase = createDatabaseCheck(db, longestPatienceMs(deployment), logger);
  const readiness = async () =>
    readinessOf(await checkDatabase(), phase, {
      lag: serving.aggregation.lag,
      leftCount: replicas.indexUpkeep.leftCount,
      threads: replicas.listThreads.state,
      problems: fit.latest(),
    });
  const { adminHost } = options;
  const servers = createServers(node, { operations, security, readiness, adminHost, signInCode });
  const { host, port, grpcPort, adminPort } = options;
  const ports = await servers.listen({ http: port, grpc: grpcPort, admin: adminPort }, host);
  watchNode(node, replicas, serving);

  void serving.trainer.prefetch();
  await load(replicas);
  await (deployment.demo ? loadDemo() : leaveDemo());
  for (const part of [...serving.background, ...topics]) await part.start?.();
  await webhooks.begin();
  fit.start();
  phase = 'serving';
  servers.serve();
  if (deployment.demo) void addDemoAudience();

  return {
    ...{ port: ports.http, grpcPort: ports.grpc, adminPort: ports.admin },
    ...{ adminCredentials, signInCode: signInCode?.code },
    async stop() {
      phase = 'stopping';
      webhooks.endStreams();
      servers.turnAway();
      await delay(options.drainMs ?? 0);
      const stopMs = options.stopMs ?? usualStopMs;
      const until = createDeadlines(logger);
      await until(stopMs * callsShare + portsMs, [() => servers.close(stopMs * callsShare)]);
      const { items, configurations, experiments } = replicas;
      const parts = [webhooks.deliveries, fit, items, configurations, experiments];
      const running = [...topics, ...serving.background, ...parts];
      const stops = running.map((part) => () => part.stop());
      await until(stopMs * workShare, stops);
      await until(stopMs, [servers.closeAdmin, node.telemetry.stop]);
      await until(stopMs, [db.close]);
    },
  };
}

/** Creates security, the administrator's credentials, and the code that signs in to the console once. */
async function createAccess(options: AppOptions, db: Database) {
  const { deployment, dataDir, connection, signingKeyPassphrase, signsInOnce, clock } = options;
  const { authentication: settings, rateLimits } = deployment;
  const patienceMs = longestPatienceMs(deployment);
  const security = await createSecurity({
    db,
    settings,
    environments: deployment.environments,
    rateLimits,
    signingKeyPassphrase,
    patienceMs,
    clock,
  });
  const adminCredentials = await ensureAdminCredentials({
    dataDir,
    /** An address is not printed: it may hold a password. */
    databaseOptions: typeof connection === 'string' ? '--database-url "$DATABASE_URL"' : undefined,
    clients: security.clients,
  });
  const signInCode =
    signsInOnce && adminCredentials.outcome !== 'missing'
      ? createSignInCode(adminCredentials.path)
      : undefined;
  return { security, adminCredentials, signInCode };
}

/** Time for a port to close after its calls were cut off. */
const portsMs = 500;

/** Stops parts of a node, each within a deadline from now. A part that misses it is logged and abandoned. */
function createDeadlines(logger: Logger) {
  const startMs = performance.now();
  return async (deadlineMs: number, stops: readonly (() => Promise<unknown>)[]): Promise<void> => {
    const leftMs = startMs + deadlineMs - performance.now();
    const give = (err?: unknown) => logger.warn({ err }, 'A part of the node did not stop in time.');
    await Promise.all(stops.map((stop) => withinTime(leftMs, stop(), give)));
  };
}

/** Opens the database and migrates it. */
async function createNode(options: AppOptions): Promise<Node> {
  const { deployment, connection, clock, logger } = options;
  const telemetry = await createTelemetry({
    scope: options.scope ?? createCallScope(),
    measures: options.adminPort !== undefined,
    traces: options.traces,
    logger,
  });
  const db = createDatabase(connection, { poolSize, logger });
  await migrate(db, { ...deployment.storage, logger });
  const bucketCount = await bucketCountOf(db);
  const served = servedOf(deployment, options.served);
  const common = { deployment, served, connection, db, bucketCount, clock, logger, telemetry };
  return { ...common, queues: new Map(), forgetting: new Set() };
}

function servedOf({ environments }: Deployment, names: readonly string[] = [...environments.keys()]) {
  return new Map(names.map((name) => [name, environments.get(name)!]));
}

/** Restores the analysed texts first, so that items need no second analysis. */
async function load({ indexUpkeep, items, configurations, experiments }: Replicas): Promise<void> {
  await indexUpkeep.restore();
  await Promise.all([items.start(), configurations.start(), experiments.start()]);
}

type Progress = {
  lag: AggregationLag;
  /** Items that are not indexed yet. */
  leftCount: number;
  /** State of the list threads; lists can be computed without them. */
  threads: string;
  /** Stored data that the deployment file does not fit; it is served otherwise. */
  problems: readonly string[];
};

type DatabaseState = { state: string; pending?: string[] };

/**
 * Checks whether the database answers in time, accepts writes and has all migrations. Concurrent
 * probes share one check, so a stalled database blocks one connection only. Logs changes.
 */
function createDatabaseCheck(db: Database, waitMs: number, logger: Logger): () => Promise<DatabaseState> {
  let query: Promise<string[]> | undefined;
  let logged = 'ok';
  return async () => {
    query ??= checkWritable(db)
      .then(() => pendingMigrations(db))
      .finally(() => {
        query = undefined;
      });
    let state = 'ok';
    const pending = await withinTime(waitMs, query, (failure) => {
      const { message = '' } = (failure ?? {}) as { message?: string };
      state = isDatabaseFault(message) ? message : 'unreachable';
    });
    if (state !== logged) logger.warn({ database: state }, 'The state of the database has changed.');
    logged = state;
    return { state, pending };
  };
}

function readinessOf({ state, pending }: DatabaseState, phase: Phase, progress: Progress): Readiness {
  const { lag, leftCount, threads, problems } = progress;
  const migrations = pending?.length === 0 ? 'ok' : 'pending';
  const checks = {
    database: state,
    migrations: pending ? migrations : 'unknown',
    models: phase === 'starting' ? 'loading' : 'ok',
  };
  const ready = phase === 'serving' && Object.values(checks).every((check) => check === 'ok');
  /** Reported without effect on readiness: another node would lag as much. */
  const aggregation =
    lag.seconds < reportedLagSeconds ? 'ok' : `${lag.events} events behind for ${lag.seconds.toFixed(0)} s`;
  const search = leftCount === 0 ? 'ok' : `${leftCount} items are not indexed yet`;
  const deployment = problems.length === 0 ? 'ok' : `${problems.length} found; see the log`;
  return { ready, checks: { ...checks, aggregation, search, threads, deployment }, problems };
}
