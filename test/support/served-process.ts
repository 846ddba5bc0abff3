/** The service as a separate process: `main.ts serve` with its own data directory. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { killFamily, signalFamily } from './kill-family.ts';
import { program } from './program.ts';
import { roomyFolder } from './roomy-folder.ts';
import { requestToken, type TestService } from './service.ts';

export type ServedProcess = Pick<TestService, 'baseUrl' | 'grpcAddress' | 'authorization'> & {
  pid: number;
  /** Its exit code or signal, after its end. */
  ended: number | string | null;
  dataDir: string;
  /** Restarts it on the same data directory, with new addresses. */
  restart(): Promise<void>;
  /** Stops it gracefully; returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Pauses it, like a pause of its machine, until it is resumed. */
  pause(): void;
  goOn(): void;
  /** Kills the processes of its database, like a power failure. */
  killDatabase(): void;
  /** Pauses the processes of its database: connections stay open without answers. */
  pauseDatabase(): void;
  resumeDatabase(): void;
  /** Stops it and its database, and removes the data directory. */
  remove(): Promise<void>;
};

export type ServedProcessOptions = {
  /** YAML of the deployment file. */
  deployment: string;
  /** Options of Node, e.g. `--max-old-space-size=256`. */
  nodeOptions?: string[];
  /** An existing data directory to use; it is not removed. */
  dataDir?: string;
  /** An existing database to use. */
  databaseUrl?: string;
  /** Credentials of the admin, if another node created them. */
  authorization?: string;
  /** Seconds for which a stopping node still accepts calls [0]. */
  drainSeconds?: number;
  /** Environment variables beside those of this process. */
  environment?: Record<string, string>;
};

export async function startServedProcess(options: ServedProcessOptions): Promise<ServedProcess> {
  const folder = await mkdtemp(join(roomyFolder(), 'served-'));
  const deploymentPath = join(folder, 'deployment.yaml');
  await writeFile(deploymentPath, options.deployment);
  const dataDir = options.dataDir ?? join(folder, 'data');
  const shared = options.databaseUrl === undefined ? [] : ['--database-url', options.databaseUrl];
  const drain = ['--drain-seconds', String(options.drainSeconds ?? 0)];
  const words = [
    ...(options.nodeOptions ?? []),
    ...serveArguments(deploymentPath, dataDir),
    ...shared,
    ...drain,
  ];
  const run = () => launch(words, options.environment);
  let { child, baseUrl, grpcAddress } = await run();
  const authorization = options.authorization ?? `Bearer ${await requestToken(baseUrl, readAdmin(dataDir))}`;
  return {
    authorization,
    dataDir,
    get baseUrl() {
      return baseUrl;
    },
    get grpcAddress() {
      return grpcAddress;
    },
    get pid() {
      return child.pid!;
    },
    get ended() {
      return child.exitCode ?? child.signalCode;
    },
    async restart() {
      ({ child, baseUrl, grpcAddress } = await run());
    },
    async stop() {
      await end(child, 'SIGTERM');
      return child.exitCode;
    },
    kill: () => end(child, 'SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    killDatabase: () => killDatabase(dataDir),
    pauseDatabase: () => signalDatabase(dataDir, 'SIGSTOP'),
    resumeDatabase: () => signalDatabase(dataDir, 'SIGCONT'),
    async remove() {
      child.kill('SIGCONT');
      if (!hasEnded(child)) await end(child, 'SIGTERM');
      if (existsSync(join(dataDir, 'postgres', 'postmaster.pid'))) killDatabase(dataDir);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function serveArguments(deploymentPath: string, dataDir: string): string[] {
  const ports = ['--port', '0', '--grpc-port', '0'];
  return [
    program,
    'serve',
    ...ports,
    '--data-dir',
    dataDir,
    '--deployment',
    deploymentPath,
    '--log-level',
    'silent',
  ];
}

type Launched = { child: ChildProcess; baseUrl: string; grpcAddress: string };

/** Resolves when the service reports that it is ready. */
async function launch(programArguments: string[], environment?: Record<string, string>): Promise<Launched> {
  const child = spawn(process.execPath, programArguments, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  let baseUrl: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    baseUrl ??= /https?:\/\/\S+/.exec(line)?.[0];
    const grpcAddress = /gRPC\s+(\S+)/.exec(line)?.[1];
    if (baseUrl === undefined || grpcAddress === undefined) continue;
    child.stdout.resume();
    return { child, baseUrl, grpcAddress };
  }
  throw new Error(`The service ended with ${child.exitCode} before it was ready.`);
}

function readAdmin(dataDir: string): { clientId: string; clientSecret: string } {
  const credentials = JSON.parse(readFileSync(join(dataDir, 'admin-credentials.json'), 'utf8'));
  return { clientId: credentials.client_id, clientSecret: credentials.client_secret };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

const databasePid = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

/** The server with its sessions. */
function killDatabase(dataDir: string): void {
  killFamily(databasePid(dataDir));
}

function signalDatabase(dataDir: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
  signalFamily(databasePid(dataDir), signal);
}
