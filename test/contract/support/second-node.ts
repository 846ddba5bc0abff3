/** Another node of a tested service: its own ports, the same database. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../../src/app.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { readDeployment, type TestService, type TestServiceOptions } from '../../support/service.ts';

export type SecondNode = { baseUrl: string; grpcUrl: string; stop(): Promise<void> };

/** @param deployment YAML of the first node. Like the first one, it trains only if it `trains`. */
export async function startSecondNode(
  { database }: Pick<TestService, 'database'>,
  deployment: string,
  { trains = false }: Pick<TestServiceOptions, 'trains'> = {},
): Promise<SecondNode> {
  const dataDir = await mkdtemp(join(tmpdir(), 'personalisation-node-'));
  const app = await startApp({
    deployment: readDeployment(deployment),
    connection: database.connection,
    dataDir,
    port: 0,
    grpcPort: 0,
    trainingThreads: trains ? undefined : 0,
    clock: Date.now,
    logger: createLogger('silent'),
  });
  return {
    baseUrl: `http://localhost:${app.port}/api`,
    grpcUrl: `http://localhost:${app.grpcPort}`,
    async stop() {
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
