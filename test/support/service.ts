/** A running service for tests: database, real ports, an admin token, and gRPC clients. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type AppOptions, startApp } from '../../src/app.ts';
import { createDemoDeployment } from '../../src/deployment/demo/deployment.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import type { Connection } from '../../src/repository/database.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { startAnswerCheck } from './answer-check.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { trainedOnce } from './trained-once.ts';

const longestTimeoutMs = 60_000;

/** Item types and environments of the contract tests. */
export const shopDeployment = `
environments:
  - name: shop
    item_types:
      - name: product
        reconsumable: false
        properties:
          - { name: brand, type: string, filterable: true, returnable: true, searchable: { weight: 2 } }
          - { name: price, type: number, filterable: true }
          - { name: in_stock, type: boolean, filterable: true }
          - { name: released, type: datetime }
          - { name: colors, type: "string[]", filterable: true, returnable: true }
      - name: article
    filter_fields: [categories, language, brand, price, in_stock]
    information_field: brand
    integration_types: [email]
  - name: news
    item_types:
      - name: article
      - name: strict
        properties:
          - { name: section, type: string, required: true }
`;

export type TestService = {
  /** e.g. `http://localhost:40001/api`. */
  baseUrl: string;
  /** e.g. `localhost:40002`. */
  grpcAddress: string;
  admin: { clientId: string; clientSecret: string };
  /** `Bearer …` of the admin client. */
  authorization: string;
  /** Undefined unless requested. */
  adminPort: number | undefined;
  /** The database of the service, for tests that break it. */
  database: TestDatabase;
  /** Folder of the admin credentials. */
  dataDir: string;
  stop(): Promise<void>;
};

export type TestServiceOptions = {
  /** The relay to the database, for tests that cut it. */
  reach?: (connection: Connection) => Connection | Promise<Connection>;
  /** The administrator's client of an existing database [a new one]. */
  admin?: TestService['admin'];
  /** Whether it trains on its events; otherwise it keeps the models of its start. */
  trains?: boolean;
  /** Its deployment and instrumentation. */
  watch?: Pick<AppOptions, 'adminPort' | 'listThreads' | 'scope' | 'served' | 'traces'> &
    Partial<Pick<AppOptions, 'clock' | 'logger'>>;
};

/**
 * The deployment of a YAML text, with a time limit that no answer exceeds on a busy machine.
 *
 * @param text `demo` is the built-in demo.
 */
export function readDeployment(text: string | Deployment): Deployment {
  const deployment = typeof text === 'string' ? parse(text) : text;
  const patient = [...deployment.environments].map(
    ([name, settings]) => [name, { ...settings, timeoutMs: longestTimeoutMs }] as const,
  );
  return { ...deployment, environments: new Map(patient) };
}

function parse(text: string): Deployment {
  return text === 'demo' ? trainedOnce(createDemoDeployment()) : parseDeployment(text, 'test.yaml');
}

/** @param deployment YAML or a parsed deployment; `demo` starts the built-in demo with its data. */
export async function startTestService(
  t: Pick<ExecutionContext, 'teardown'>,
  deployment: string | Deployment = shopDeployment,
  { reach = (connection) => connection, admin: known, trains = false, watch }: TestServiceOptions = {},
): Promise<TestService> {
  const answers = startAnswerCheck();
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'personalisation-service-'));
  if (known) {
    const file = { client_id: known.clientId, client_secret: known.clientSecret };
    await writeFile(join(dataDir, 'admin-credentials.json'), JSON.stringify(file));
  }
  const app = await startApp({
    deployment: readDeployment(deployment),
    connection: await reach(database.connection),
    dataDir,
    port: 0,
    grpcPort: 0,
    trainingThreads: trains ? undefined : 0,
    clock: Date.now,
    logger: createLogger('silent'),
    ...watch,
  });
  const credentials = JSON.parse(await readFile(join(dataDir, 'admin-credentials.json'), 'utf8'));
  const admin = { clientId: credentials.client_id, clientSecret: credentials.client_secret };
  const baseUrl = `http://localhost:${app.port}/api`;
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await app.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
    answers.finish();
  };
  t.teardown(stop);
  return {
    baseUrl,
    grpcAddress: `localhost:${app.grpcPort}`,
    adminPort: app.adminPort,
    admin,
    authorization: `Bearer ${await requestToken(baseUrl, admin)}`,
    database,
    dataDir,
    stop,
  };
}

export async function requestToken(
  baseUrl: string,
  client: { clientId: string; clientSecret: string },
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  const response = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body });
  if (!response.ok) throw new Error(`No token came: ${response.status} ${await response.text()}`);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}
