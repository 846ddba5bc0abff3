/** Three nodes, an embedded database, and a relay between it and each node. */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import type { Connection } from '../../src/repository/database.ts';
import { startEmbeddedPostgres } from '../../src/repository/embedded/embedded-postgres.ts';
import type { Chance } from '../fuzz/chance.ts';
import { silentLogger } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { childrenOf, killFamily } from '../support/kill-family.ts';
import { type Relay, startRelay, toTarget } from '../support/relay.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

export const environments = ['shop', 'news'];

const deployment = `
environments:
  - { name: shop, item_types: [ { name: article } ] }
  - { name: news, item_types: [ { name: article } ] }
`;

export const nodeCount = 3;

/** Offset of a node's clock, in both directions. */
const mostSkewMs = 120_000;

export type ChaosNode = {
  served: ServedProcess;
  /** Whether it gets calls. */
  isUp: boolean;
  /** Whether the node has or had a fault: response times are reported for other nodes only. */
  isTroubled: boolean;
  /** Its relay to the database. */
  relay: Relay;
  /** With another clock. */
  restart(): Promise<void>;
  remove(): Promise<void>;
};

export type ChaosDatabase = {
  connection: pg.ClientConfig;
  /** Kills the server with its sessions; it restarts automatically. */
  kill(): void;
  pause(): void;
  goOn(): void;
};

export type World = {
  nodes: ChaosNode[];
  database: ChaosDatabase;
  disk: SmallDisk | undefined;
  /** Cuts each answer of the database with this probability, at a random place; 0 stops it. */
  cutAnswers(share: number): void;
  /** Starts another node outside the group. */
  startNode(): Promise<ChaosNode>;
  remove(): Promise<void>;
};

export async function createWorld(chance: Chance): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const disk = mountSmallDisk(folder);
  const dataDir = join(folder, 'data');
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  let cutShare = 0;
  const nodes: ChaosNode[] = [];
  const startAnother = () =>
    startNode({
      chance,
      connection,
      isAnswerCut: () => chance.happens(cutShare),
      authorization: nodes[0]?.served.authorization,
    });
  while (nodes.length < nodeCount) nodes.push(await startAnother());
  return {
    nodes,
    database: { connection, ...reach(join(dataDir, 'postgres', 'postmaster.pid')) },
    disk,
    cutAnswers(share) {
      cutShare = share;
    },
    startNode: startAnother,
    async remove() {
      await Promise.all(nodes.map((node) => node.remove()));
      await stop();
      disk?.unmount();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type NodeOptions = {
  chance: Chance;
  connection: Connection;
  isAnswerCut: () => boolean;
  authorization: string | undefined;
};

async function startNode(options: NodeOptions): Promise<ChaosNode> {
  const { chance, connection, isAnswerCut, authorization } = options;
  const skew = () => String(Math.round((2 * chance.next() - 1) * mostSkewMs));
  const environment = { CLOCK_SKEW_MS: skew() };
  const nodeOptions = ['--import', new URL('./skewed-clock.ts', import.meta.url).href];
  const relay = await startRelay({ target: () => toTarget(connection), isAnswerCut });
  const databaseUrl = addressOf({ ...connection, host: '127.0.0.1', port: relay.port });
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
    isTroubled: false,
    relay,
    async restart() {
      environment.CLOCK_SKEW_MS = skew();
      await served.restart();
      node.isUp = true;
    },
    async remove() {
      await served.remove();
      relay.close();
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

/** A session may have ended in the meantime. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
