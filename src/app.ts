/** A node of the service from its start to its end; `wiring/` joins the rooms, a storey a file. */

import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createEngine } from './app/engine.ts';
import { createMemory, type Memory } from './app/memory.ts';
import type { Node } from './app/node.ts';
import { createServedOperations } from './app/served-operations.ts';
import { createServers, watchNode } from './app/servers.ts';
import type { Deployment } from './deployment/deployment.ts';
import { longestPatienceMs } from './deployment/patience.ts';
import type { FoldingLag } from './events/folding.ts';
import { withinTime } from './ranking/runtime/within-time.ts';
import { bucketCountOf } from './repository/buckets.ts';
import { type Connection, createDatabase, type Database } from './repository/database.ts';
import { migrate, pendingMigrations } from './repository/migrations.ts';
import { type AdminCredentials, ensureAdminCredentials } from './security/admin-credentials.ts';
import { createSecurity } from './security/security.ts';
import { createSignInCode } from './security/sign-in-code.ts';
import type { Readiness } from './servers/http.ts';
import { type CallScope, createCallScope } from './servers/telemetry/call-scope.ts';
import { createTelemetry } from './servers/telemetry/telemetry.ts';
import type { TracerSettings } from './servers/telemetry/tracer.ts';

/** Folding may be behind for so long before it is told. */
const behindSeconds = 5;

/** From the end of the drain to the end of the node, whatever is open. */
const usualStopMs = 10_000;

/** Of this time, what calls under way have, and what all has but the database and what tells of the end. */
const callsShare = 0.6;
const workShare = 0.9;

/** Statements of a node that run at once: two batches of each hot kind, followers, and a few single ones. */
const poolSize = 16;

export type AppOptions = {
  deployment: Deployment;
  connection: Connection | string;
  /** Where the admin credentials are written. */
  dataDir: string;
  port: number;
  grpcPort: number;
  /** Names of the environments that this node serves [all]. */
  served?: readonly string[];
  /** Threads that share a training; 0: this node trains nothing but what it needs to start [all cores but one, at most 4]. */
  trainingThreads?: number;
  /** Threads that make lists; 0: lists are made where calls are answered [0]. */
  listThreads?: number;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
  /** Address of the HTTP and the gRPC port, instead of the deployment file's. */
  host?: string;
  /** Port of metrics; undefined for none. */
  adminPort?: number;
  /** Instead of the deployment file's. */
  adminHost?: string;
  /** Make a code that signs the person at this machine in to the console, once. */
  signsInOnce?: boolean;
  /** The logger's, so that its lines carry request ids. */
  scope?: CallScope;
  /** Encrypts the key that signs access tokens; undefined to store it as it is. */
  signingKeyPassphrase?: string;
  /** Undefined when calls are not traced. */
  traces?: TracerSettings;
  /** From saying that it is not ready to refusing connections: the time in which balancers turn away [0]. */
  drainMs?: number;
  /** In which it ends after that, whatever is open [10 s]. */
  stopMs?: number;
};

export type App = {
  port: number;
  grpcPort: number;
  /** Undefined when there is none. */
  adminPort?: number;
  adminCredentials: AdminCredentials;
  /** Undefined unless it was asked for and there are credentials to sign in with. */
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
  const memory = createMemory(node, options.listThreads);
  const engine = createEngine(node, memory, options.trainingThreads);
  const { operations, loadDemo, leaveDemo } = createServedOperations(node, {
    memory,
    engine,
    security,
    hasStarted: () => phase !== 'starting',
  });
  const lookAtDatabase = createDatabaseCheck(db, longestPatienceMs(deployment));
  const readiness = async () =>
    readinessOf(await lookAtDatabase(), phase, {
      lag: engine.folding.lag,
      leftCount: memory.indexUpkeep.leftCount,
      threads: memory.listThreads.state,
    });
  const { adminHost } = options;
  const servers = createServers(node, { operations, security, readiness, adminHost, signInCode });
  const { host, port, grpcPort, adminPort } = options;
  const ports = await servers.listen({ http: port, grpc: grpcPort, admin: adminPort }, host);
  watchNode(node, memory, engine);

  void engine.trainer.prefetch();
  await load(memory);
  await (deployment.demo ? loadDemo() : leaveDemo());
  for (const part of engine.background) await part.start?.();
  phase = 'serving';
  servers.serve();

  return {
    port: ports.http,
    grpcPort: ports.grpc,
    adminPort: ports.admin,
    adminCredentials,
    signInCode: signInCode?.code,
    async stop() {
      phase = 'stopping';
      servers.turnAway();
      await delay(options.drainMs ?? 0);
      const stopMs = options.stopMs ?? usualStopMs;
      const until = createDeadlines(logger);
      await until(stopMs * callsShare + portsMs, [() => servers.close(stopMs * callsShare)]);
      const running = [...engine.background, memory.items, memory.configurations];
      await until(
        stopMs * workShare,
        running.map((part) => () => part.stop()),
      );
      await until(stopMs, [servers.closeAdmin, node.telemetry.stop]);
      await until(stopMs, [db.close]);
    },
  };
}

/** Who may call, the administrator's credentials, and the code that signs in to the console once. */
async function createAccess(options: AppOptions, db: Database) {
  const { deployment, dataDir, connection, signingKeyPassphrase, signsInOnce, clock } = options;
  const { authentication: settings, rateLimits } = deployment;
  const patienceMs = longestPatienceMs(deployment);
  const security = await createSecurity({
    db,
    settings,
    rateLimits,
    signingKeyPassphrase,
    patienceMs,
    clock,
  });
  const adminCredentials = await ensureAdminCredentials({
    dataDir,
    /** An address may hold a password, so it is not printed. */
    databaseOptions: typeof connection === 'string' ? '--database-url "$DATABASE_URL"' : undefined,
    clients: security.clients,
  });
  const signInCode =
    signsInOnce && adminCredentials.outcome !== 'missing'
      ? createSignInCode(adminCredentials.path)
      : undefined;
  return { security, adminCredentials, signInCode };
}

/** A port closes a little after the calls were cut off. */
const portsMs = 500;

/** Ends parts of a node, each until a moment after now. What does not end by then is left: the process ends without it. */
function createDeadlines(logger: Logger) {
  const startMs = performance.now();
  return async (deadlineMs: number, stops: readonly (() => Promise<unknown>)[]): Promise<void> => {
    const leftMs = startMs + deadlineMs - performance.now();
    const give = (err?: unknown) => logger.warn({ err }, 'A part of the node did not stop in time.');
    await Promise.all(stops.map((stop) => withinTime(leftMs, stop(), give)));
  };
}

/** The database is there, and its tables are this version's. */
async function createNode(options: AppOptions): Promise<Node> {
  const { deployment, connection, clock, logger } = options;
  const telemetry = await createTelemetry({
    scope: options.scope ?? createCallScope(),
    measures: options.adminPort !== undefined,
    traces: options.traces,
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

/** What was analysed before comes first, so that items need not be analysed again. */
async function load({ indexUpkeep, items, configurations }: Memory): Promise<void> {
  await indexUpkeep.restore();
  await Promise.all([items.start(), configurations.start()]);
}

type Behind = {
  lag: FoldingLag;
  /** Items that no search finds yet. */
  leftCount: number;
  /** Of the threads that make lists; without them lists are made, too. */
  threads: string;
};

/**
 * Names the pending migrations; undefined when the database does not say in time. Probes share one question, so that a database
 * that stands still holds one connection for all of them.
 */
function createDatabaseCheck(db: Database, waitMs: number): () => Promise<string[] | undefined> {
  let asking: Promise<string[]> | undefined;
  return () => {
    asking ??= pendingMigrations(db).finally(() => {
      asking = undefined;
    });
    return withinTime(waitMs, asking);
  };
}

function readinessOf(pending: string[] | undefined, phase: Phase, behind: Behind): Readiness {
  const { lag, leftCount, threads } = behind;
  const migrations = pending?.length === 0 ? 'ok' : 'pending';
  const checks = {
    database: pending ? 'ok' : 'unreachable',
    migrations: pending ? migrations : 'unknown',
    models: phase === 'starting' ? 'loading' : 'ok',
  };
  const ready = phase === 'serving' && Object.values(checks).every((check) => check === 'ok');
  /** Told, and no reason to take the node out: it serves, and another would be as far behind. */
  const folding =
    lag.seconds < behindSeconds ? 'ok' : `${lag.events} events behind for ${lag.seconds.toFixed(0)} s`;
  const search = leftCount === 0 ? 'ok' : `${leftCount} items are still to be indexed`;
  return { ready, checks: { ...checks, folding, search, threads } };
}
