/** `personalisation serve`: the service, with an embedded database unless a URL names another. */

import { availableParallelism, constants } from 'node:os';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Logger } from 'pino';
import type { Deployment } from '../deployment/deployment.ts';
import type { EmbeddedPostgres } from '../repository/embedded/embedded-postgres.ts';
import { readCertificate } from '../servers/certificate.ts';
import { createCallScope } from '../servers/telemetry/call-scope.ts';
import { createLogger, type LogLevel, logLevels } from '../servers/telemetry/logger.ts';
import { tracerSettings } from '../servers/telemetry/tracer.ts';
import { parseWhole, splitList } from './arguments.ts';
import { keepCompiled } from './compile-cache.ts';
import { databaseUrlOption, dataDirOption } from './local-database.ts';
import { checkPorts } from './serving/free-ports.ts';
import { welcome } from './serving/welcome.ts';

type ServeOptions = {
  host?: string;
  port?: number;
  grpcPort?: number;
  adminPort?: number;
  adminHost?: string;
  dataDir: string;
  databaseUrl?: string;
  deployment?: string;
  logLevel: LogLevel;
  workers?: number;
  threads?: number;
  environments?: string[];
  drainSeconds?: number;
  check?: string;
};

/** More threads wait for memory rather than help. */
const mostWorkers = 32;

/** The thread that answers calls can feed no more. */
const mostThreads = 8;

/** Load balancers check /readyz every few seconds; with an embedded database there is no other node. */
const defaultDrainSeconds = 5;
const mostDrainSeconds = 300;

export const workersOption = (description: string): Option =>
  new Option('--workers <count>', description).env('TRAINING_WORKERS').argParser(parseWhole(0, mostWorkers));

export const logLevelOption = (): Option =>
  new Option('--log-level <level>', 'least level that is logged')
    .env('LOG_LEVEL')
    .choices(logLevels)
    .default('info');

export const deploymentOption = (description: string): Option =>
  new Option('--deployment <file>', description).env('DEPLOYMENT');

export function registerServe(program: Command): void {
  const options = [
    new Option('--host <address>', 'address of the HTTP and the gRPC port [all interfaces]').env('HOST'),
    new Option('--port <port>', 'HTTP port [8080]; 0 takes a free one').env('PORT').argParser(parsePort),
    new Option('--grpc-port <port>', 'gRPC port [50051]; 0 takes a free one')
      .env('GRPC_PORT')
      .argParser(parsePort),
    new Option('--admin-port <port>', 'port of metrics for Prometheus [none]; 0 takes a free one')
      .env('ADMIN_PORT')
      .argParser(parsePort),
    new Option('--admin-host <address>', 'address of the admin port [127.0.0.1]').env('ADMIN_HOST'),
    dataDirOption(),
    databaseUrlOption('a Postgres ≥ 15 to use instead of the embedded one'),
    deploymentOption('deployment file; without it, the demo is served'),
    logLevelOption(),
    workersOption(
      'threads that share a training; 0 leaves training to other processes [all cores but one, at most 4]',
    ),
    new Option(
      '--threads <count>',
      'threads that make lists beside the one that answers calls; 0 makes them there [all cores but one, at most 8]',
    )
      .env('LIST_THREADS')
      .argParser(parseWhole(0, mostThreads)),
    new Option(
      '--environments <names>',
      'environments that this node serves, such as shop,news; other nodes serve the rest [all]',
    )
      .env('ENVIRONMENTS')
      .argParser(splitList),
    new Option(
      '--drain-seconds <count>',
      'seconds for which a stopping node still accepts calls after /readyz fails [5; 0 with the embedded database]',
    )
      .env('DRAIN_SECONDS')
      .argParser(parseDrain),
    new Option(
      '--check <file>',
      'compare a deployment file with the stored data instead of starting; exit code 1 when it would break some',
    ),
  ];
  const command = program
    .command('serve')
    .description('Start the service. Ctrl-C stops it and its embedded database.');
  for (const each of options) command.addOption(each);
  command.action(serve);
}

const parseNumber = parseWhole(0, 65_535);

function parsePort(text: string): number {
  if (text.startsWith('tcp://'))
    throw new InvalidArgumentError(
      'Kubernetes sets it for a Service of that name. Set enableServiceLinks: false for the pod, or rename the Service.',
    );
  return parseNumber(text);
}

function parseDrain(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds >= 0 && seconds <= mostDrainSeconds))
    throw new InvalidArgumentError(`It must be 0 to ${mostDrainSeconds}.`);
  return seconds;
}

/** One core is left for the thread that answers calls. */
function defaultThreads(): number {
  return Math.max(1, Math.min(mostThreads, availableParallelism() - 1));
}

/** Loads the service here, so that other commands start without it. */
async function serve(options: ServeOptions): Promise<void> {
  if (options.check !== undefined) {
    const { checkDeployment } = await import('./serving/check-deployment.ts');
    process.exitCode = (await checkDeployment(options.check, await readDeployment(options.check), options))
      ? 0
      : 1;
    return;
  }
  keepCompiled(resolve(options.dataDir, 'compile-cache'));
  const scope = createCallScope();
  const logger = createLogger(options.logLevel, { scope });
  const stopped = stopSignal();
  const deployment = await readDeployment(options.deployment);
  checkServed(options.environments, deployment);
  const ports = {
    port: options.port ?? deployment.server.port,
    grpcPort: options.grpcPort ?? deployment.server.grpcPort,
    adminPort: options.adminPort ?? deployment.server.adminPort,
  };
  const host = options.host ?? deployment.server.host;
  await checkPorts(ports, host);
  if (deployment.server.tls) readCertificate(deployment.server.tls);
  const dataDir = resolve(options.dataDir);
  const database = options.databaseUrl ? undefined : startDatabase(dataDir, logger);
  try {
    const { startApp } = await import('../app.ts');
    const app = await startApp({
      deployment,
      connection: options.databaseUrl ?? (await database!).connection,
      dataDir,
      ...ports,
      trainingThreads: options.workers,
      listThreads: options.threads ?? defaultThreads(),
      served: options.environments,
      host,
      adminHost: options.adminHost,
      signsInOnce: options.databaseUrl === undefined,
      clock: Date.now,
      logger,
      scope,
      signingKeyPassphrase: process.env.SIGNING_KEY_PASSPHRASE || undefined,
      traces: tracerSettings(process.env, deployment.traces),
      drainMs: 1_000 * (options.drainSeconds ?? (options.databaseUrl ? defaultDrainSeconds : 0)),
    });
    console.log(welcome(app, deployment, host));
    await stopped;
    console.log('Stopping …');
    await app.stop();
  } finally {
    await (await database)?.stop();
  }
  /** Resources of a failed start must not keep the process alive. */
  process.exit();
}

function checkServed(names: readonly string[] | undefined, { environments }: Deployment): void {
  const unknown = names?.find((name) => !environments.has(name));
  if (unknown === undefined) return;
  const known = [...environments.keys()].join(', ');
  throw new InvalidArgumentError(
    `--environments: the deployment has no environment ${JSON.stringify(unknown)}. Expected some of ${known}.`,
  );
}

/** Starts while the sources of the service are loaded; a failure is thrown where it is awaited. */
function startDatabase(dataDir: string, logger: Logger): Promise<EmbeddedPostgres> {
  const starting = import('../repository/embedded/embedded-postgres.ts').then(({ startEmbeddedPostgres }) =>
    startEmbeddedPostgres({ dataDir, logger }),
  );
  starting.catch(() => undefined);
  return starting;
}

export async function readDeployment(path: string | undefined): Promise<Deployment> {
  if (path) return (await import('../deployment/load-deployment.ts')).loadDeployment(path);
  return (await import('../deployment/demo/deployment.ts')).createDemoDeployment();
}

/** Added to the signal's number, as shells do: 130 for SIGINT, 143 for SIGTERM. */
const signalExitCode = 128;

/** Ctrl-C arrives twice when npm passes it on as well. */
const sameSignalMs = 1_000;

/** Resolves at the first signal; a later one ends the process at once, and the next start adopts the database. */
export function stopSignal(): Promise<void> {
  /** The service continues when the reader of its output leaves (`| head`). */
  process.stdout.on('error', () => undefined);
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      if (firstMs !== undefined && performance.now() - firstMs > sameSignalMs)
        process.exit(signalExitCode + constants.signals[signal]);
      firstMs ??= performance.now();
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
