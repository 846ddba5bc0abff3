/** Three nodes, a database that comes with the service, and a proxy between them. */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { startEmbeddedPostgres } from '../../src/repository/embedded/embedded-postgres.ts';
import type { Chance } from '../fuzz/chance.ts';
import { silentLogger } from '../support/database.ts';
import { childrenOf, killFamily } from '../support/kill-family.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

export const environments = ['shop', 'news'];

const deployment = `
environments:
  - { name: shop, item_types: [ { name: article } ], timeout_ms: 60000 }
  - { name: news, item_types: [ { name: article } ], timeout_ms: 60000 }
`;

export const nodeCount = 3;

/** Of a node's clock, either way. */
const mostSkewMs = 120_000;

export type ChaosNode = {
  served: ServedProcess;
  /** Calls go to it only while it is. */
  isUp: boolean;
  /** With another clock. */
  restart(): Promise<void>;
};

export type ChaosDatabase = {
  connection: pg.ClientConfig;
  /** Kills the server with its sessions; it is started again by itself. */
  kill(): void;
  pause(): void;
  goOn(): void;
};

export type World = {
  nodes: ChaosNode[];
  database: ChaosDatabase;
  proxy: CuttingProxy;
  disk: SmallDisk | undefined;
  remove(): Promise<void>;
};

export async function createWorld(chance: Chance): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const disk = mountSmallDisk(folder);
  const dataDir = join(folder, 'data');
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const { connection } = postgres;
  const proxy = await startCuttingProxy(
    () => `${connection.host}/.s.PGSQL.${connection.port}`,
    chance.happens,
  );
  const databaseUrl = `postgres://postgres@127.0.0.1:${proxy.port}/${connection.database}`;
  const nodes: ChaosNode[] = [];
  while (nodes.length < nodeCount) {
    const authorization = nodes[0]?.served.authorization;
    nodes.push(await startNode({ chance, databaseUrl, authorization }));
  }
  return {
    nodes,
    database: { connection, ...reach(join(dataDir, 'postgres', 'postmaster.pid')) },
    proxy,
    disk,
    async remove() {
      await Promise.all(nodes.map(({ served }) => served.remove()));
      proxy.close();
      await postgres.stop();
      disk?.unmount();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type NodeOptions = { chance: Chance; databaseUrl: string; authorization: string | undefined };

async function startNode({ chance, databaseUrl, authorization }: NodeOptions): Promise<ChaosNode> {
  const skew = () => String(Math.round((2 * chance.next() - 1) * mostSkewMs));
  const environment = { CLOCK_SKEW_MS: skew() };
  const nodeOptions = ['--import', new URL('./skewed-clock.ts', import.meta.url).href];
  const served = await startServedProcess({
    deployment,
    databaseUrl,
    authorization,
    nodeOptions,
    environment,
  });
  const node: ChaosNode = {
    served,
    isUp: true,
    async restart() {
      environment.CLOCK_SKEW_MS = skew();
      await served.restart();
      node.isUp = true;
    },
  };
  return node;
}

function reach(pidFile: string) {
  const postmaster = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  let paused: number[] = [];
  return {
    kill: () => killFamily(postmaster()),
    pause() {
      paused = [postmaster(), ...childrenOf(postmaster())];
      for (const pid of paused) signal(pid, 'SIGSTOP');
    },
    goOn() {
      for (const pid of paused) signal(pid, 'SIGCONT');
      paused = [];
    },
  };
}

/** A session may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
