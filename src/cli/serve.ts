/** `personalisation serve`: the service, with its own database unless one is named. */

import { availableParallelism, constants } from 'node:os';
import { relative, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Logger } from 'pino';
import type { App } from '../app.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { EmbeddedPostgres } from '../repository/embedded/embedded-postgres.ts';
import { readCertificate } from '../servers/certificate.ts';
import { createCallScope } from '../servers/telemetry/call-scope.ts';
import { createLogger, type LogLevel, logLevels } from '../servers/telemetry/logger.ts';
import { tracerSettings } from '../servers/telemetry/tracer.ts';
import { keepCompiled } from './compile-cache.ts';
import { checkPorts } from './connection/free-ports.ts';

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
};

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('Start the service. Ctrl-C stops it, its database too.')
    .addOption(
      new Option('--host <address>', 'address of the HTTP and the gRPC port [all interfaces]').env('HOST'),
    )
    .addOption(
      new Option('--port <port>', 'HTTP port [8080]; 0 takes a free one').env('PORT').argParser(parsePort),
    )
    .addOption(
      new Option('--grpc-port <port>', 'gRPC port [50051]; 0 takes a free one')
        .env('GRPC_PORT')
        .argParser(parsePort),
    )
    .addOption(
      new Option('--admin-port <port>', 'port of metrics for Prometheus [none]; 0 takes a free one')
        .env('ADMIN_PORT')
        .argParser(parsePort),
    )
    .addOption(
      new Option('--admin-host <address>', 'address of the admin port [127.0.0.1]').env('ADMIN_HOST'),
    )
    .addOption(
      new Option('--data-dir <folder>', 'where the embedded database lives').env('DATA_DIR').default('.data'),
    )
    .addOption(
      new Option('--database-url <url>', 'a Postgres ≥ 15 to use instead of the embedded one').env(
        'DATABASE_URL',
      ),
    )
    .addOption(
      new Option('--deployment <file>', 'deployment file; without it the demo is served').env('DEPLOYMENT'),
    )
    .addOption(
      new Option('--log-level <level>', 'what is logged').env('LOG_LEVEL').choices(logLevels).default('info'),
    )
    .addOption(
      new Option(
        '--workers <count>',
        'threads that share a training; 0 leaves training to other processes [all cores but one, at most 4]',
      )
        .env('TRAINING_WORKERS')
        .argParser(parseWorkers),
    )
    .addOption(
      new Option(
        '--threads <count>',
        'threads that make lists beside the one that answers calls; 0 makes them there [all cores but one, at most 8]',
      )
        .env('LIST_THREADS')
        .argParser(parseThreads),
    )
    .addOption(
      new Option(
        '--environments <names>',
        'those that this node serves, e.g. shop,news; others answer for the rest [all]',
      )
        .env('ENVIRONMENTS')
        .argParser((names) => names.split(',').map((name) => name.trim())),
    )
    .addOption(
      new Option(
        '--drain-seconds <count>',
        'at a stop, how long calls are still taken after /readyz says no [5; 0 with the embedded database]',
      )
        .env('DRAIN_SECONDS')
        .argParser(parseDrain),
    )
    .action(serve);
}

/** Balancers ask every few seconds; with a database of its own the service has no other node beside it. */
const defaultDrainSeconds = 5;
const mostDrainSeconds = 300;

function parseDrain(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds >= 0 && seconds <= mostDrainSeconds))
    throw new InvalidArgumentError(`It must be 0 to ${mostDrainSeconds}.`);
  return seconds;
}

/** More threads wait for memory rather than help. */
const mostWorkers = 32;

export const parseWorkers = (text: string): number => parseUpTo(mostWorkers, text);

/** The thread that answers calls can feed no more. */
const mostThreads = 8;

/** One core is for the thread that answers calls. */
function defaultThreads(): number {
  return Math.max(1, Math.min(mostThreads, availableParallelism() - 1));
}

const parseThreads = (text: string): number => parseUpTo(mostThreads, text);

const parsePort = (text: string): number => parseUpTo(65_535, text);

/** No text is no number, where JavaScript has 0. */
function parseUpTo(most: number, text: string): number {
  const count = Number(text);
  if (text.trim() === '' || !Number.isInteger(count) || count < 0 || count > most)
    throw new InvalidArgumentError(`It must be 0 to ${most}.`);
  return count;
}

/** The service is loaded here and not with the command line: other commands are quick without it. */
async function serve(options: ServeOptions): Promise<void> {
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
  /** What a failed start has opened must not keep the process alive. */
  process.exit();
}

function checkServed(names: readonly string[] | undefined, { environments }: Deployment): void {
  const unknown = names?.find((name) => !environments.has(name));
  if (unknown === undefined) return;
  const known = [...environments.keys()].join(', ');
  throw new InvalidArgumentError(
    `--environments: the deployment has no environment ${JSON.stringify(unknown)}, but ${known}.`,
  );
}

/** Comes up while the sources of the service are loaded; whoever awaits it hears of a failure. */
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

/** Of a process that a signal has ended, as shells count: 130 for SIGINT, 143 for SIGTERM. */
const signalExitCode = 128;

/** A terminal's Ctrl-C reaches us twice when npm passes it on as well. */
const sameSignalMs = 1_000;

/** Resolves at the first request to stop; a later one ends the process at once, and the next start adopts the database. */
export function stopSignal(): Promise<void> {
  /** Who reads what is printed may go (`| head`); the service stays. */
  process.stdout.on('error', () => undefined);
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      if (askedAt !== undefined && performance.now() - askedAt > sameSignalMs)
        process.exit(signalExitCode + constants.signals[signal]);
      askedAt ??= performance.now();
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

/** Addresses that stand for all interfaces. */
const anyHosts = new Set(['0.0.0.0', '::']);

function welcome(app: App, deployment: Deployment, host = '0.0.0.0'): string {
  const { port, grpcPort, adminPort, adminCredentials } = app;
  const scheme = deployment.server.tls ? 'https' : 'http';
  const bare = anyHosts.has(host) ? 'localhost' : host;
  const name = bare.includes(':') ? `[${bare}]` : bare;
  const baseUrl = `${scheme}://${name}:${port}${deployment.basePath}`;
  const credentials =
    adminCredentials.outcome === 'missing' ? adminCredentials.advice : shortPath(adminCredentials.path);
  const metrics =
    adminPort === undefined ? '' : `\n  Metrics             http://localhost:${adminPort}/metrics`;
  return `
The service is ready.

  HTTP (JSON)         ${baseUrl}
  gRPC                ${name}:${grpcPort}
  Interface           ${baseUrl}/docs${metrics}
  Admin credentials   ${credentials}${consoleLine(app, deployment, name)}
  Data are kept       ${keptFor(deployment)}

Try it:

  ${tryCommand(baseUrl, deployment)}
`;
}

const retentionNames: Readonly<Record<string, string>> = {
  eventsDays: 'events',
  historiesDays: 'histories',
  metricsDays: 'metrics',
  metricNamesDays: 'metrics by name',
};

/** For ever, or what each environment says. */
function keptFor({ environments }: Deployment): string {
  const limits = [...environments.values()].flatMap(({ name, retention }) => {
    const days = Object.entries(retention).filter(([, limit]) => limit !== undefined);
    const each = days.map(([data, limit]) => `${retentionNames[data] ?? data} ${limit} days`);
    return each.length > 0 ? [`${name}: ${each.join(', ')}`] : [];
  });
  return limits.length > 0 ? `${limits.join('; ')}; all else for ever` : 'for ever';
}

/** The link signs the person at this machine in, once; elsewhere one signs in with a client's credentials. */
function consoleLine({ port, signInCode }: App, { server, console }: Deployment, name: string): string {
  if (!console) return '';
  const url = `${server.tls ? 'https' : 'http'}://${name}:${port}/console`;
  return `\n  Console             ${signInCode ? `${url}#code=${signInCode}` : url}`;
}

/** As somebody in the current folder would type it. */
function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}

function tryCommand(baseUrl: string, deployment: Deployment): string {
  if (!deployment.demo) return `curl -s ${baseUrl}/openapi.json`;
  const body = {
    device_id: 'anna-phone',
    user_id: 'anna',
    page_type: 'home',
    lists: [{ configuration_id: 'home', list_name: 'for you', list_size: 10 }],
  };
  return `curl -s ${baseUrl}/demo/recommendations/requests -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}
