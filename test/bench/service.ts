/** The service under load: a process of its own with its own database, filled through its public interface. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientDuplexStream, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { EventServiceClient } from '../../gen/grpc/personalisation/v1/event_service.ts';
import { ItemServiceClient } from '../../gen/grpc/personalisation/v1/item_service.ts';
import { program } from '../support/program.ts';
import { type Served, startNode, stopProcess, waitForOutput } from './processes.ts';
import { configurations, deploymentYaml, environment, type World } from './world.ts';

const recordsPerBatch = 2_000;

const packageFile = new URL('../../package.json', import.meta.url);
/** As `npm start` does, without `node`; what is packed, where TEST_PROGRAM names it. */
const started: string[] = JSON.parse(readFileSync(packageFile, 'utf8'))
  .scripts.start.split(' ')
  .slice(1)
  .map((word: string) => (word === 'src/main.ts' ? program : word));

export type Service = Served & {
  grpcPort: number;
  pid: number;
  /** `Bearer …` of the admin client. */
  authorization: string;
};

/**
 * Filled, then started again: it serves with models of all the data, and trains no more before something changes.
 *
 * @param threads that make lists [as many as the service has by itself]
 */
export async function startFilledService(world: World, threads?: string): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-'));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const empty = await startService(dataDir);
    await fill(empty, world).finally(empty.stop);
    const more = threads === undefined ? [] : ['--threads', threads];
    const service = await startService(dataDir, undefined, { more });
    await train(service);
    await awaitThreads(service);
    return { ...service, stop: () => service.stop().finally(removeData) };
  } catch (error) {
    removeData();
    throw error;
  }
}

/** Until there are as many threads that make lists as there shall be. */
async function awaitThreads({ port }: Service): Promise<void> {
  const tell = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    return ((await answer.json()) as { checks: Record<string, string> }).checks.threads;
  };
  while ((await tell()) !== 'ok') await delay(100);
}

/** Asks for a training and waits for its end. */
export async function train(service: Service): Promise<void> {
  const id = await askForTraining(service);
  while ((await findTraining(service, id)).end_time === undefined) await delay(200);
}

/** The id of the training that waits then. */
export async function askForTraining({ port, authorization }: Service): Promise<string> {
  const { training_id: id } = await call(port, `/${environment}/models/trainings`, undefined, authorization);
  return id;
}

export async function findTraining(
  { port, authorization }: Service,
  id: string,
): Promise<{ state: string; end_time?: string }> {
  const url = `http://127.0.0.1:${port}/api/${environment}/models/trainings/${id}`;
  const response = await fetch(url, { headers: { authorization } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return (await response.json()) as { state: string; end_time?: string };
}

/** @param yaml the deployment that is served */
export async function startService(
  dataDir: string,
  yaml = deploymentYaml,
  { more = [], authorization: known }: { more?: string[]; authorization?: string } = {},
): Promise<Service> {
  const deployment = join(dataDir, 'deployment.yaml');
  writeFileSync(deployment, yaml);
  const options = ['--data-dir', dataDir, '--deployment', deployment, '--log-level', 'warn', ...more];
  const child = startNode([...started, ...options, '--port', '0', '--grpc-port', '0']);
  const stop = () => stopProcess(child);
  try {
    const [, port, grpcPort] = await waitForOutput(
      child,
      /HTTP.*localhost:(\d+)[\s\S]*gRPC.*localhost:(\d+)\n/,
    );
    const authorization = known ?? (await requestAuthorization(Number(port), dataDir));
    return { port: Number(port), grpcPort: Number(grpcPort), pid: child.pid!, authorization, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One of several nodes on a database; `first` has made the admin client. */
export async function startServiceOn(databaseUrl: string, first?: Service): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-'));
  const service = await startService(dataDir, deploymentYaml, {
    more: ['--database-url', databaseUrl, '--workers', '0'],
    authorization: first?.authorization,
  });
  return {
    ...service,
    stop: () => service.stop().finally(() => rmSync(dataDir, { recursive: true, force: true })),
  };
}

async function requestAuthorization(port: number, dataDir: string): Promise<string> {
  const admin = JSON.parse(readFileSync(join(dataDir, 'admin-credentials.json'), 'utf8'));
  const { access_token: token } = await call(port, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: admin.client_id,
    client_secret: admin.client_secret,
  });
  return `Bearer ${token}`;
}

/** Posts JSON and answers what came back. */
export async function call(port: number, path: string, body: unknown, authorization = '') {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** @param makeItem an item's JSON by its position */
export async function importItems(
  { grpcPort, authorization }: Service,
  count: number,
  makeItem: (index: number) => unknown,
): Promise<void> {
  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  const itemService = new ItemServiceClient(`127.0.0.1:${grpcPort}`, credentials.createInsecure());
  await load(
    () => itemService.importItems(metadata),
    count,
    makeItem,
    (items) => ({ environment, items }),
  );
  itemService.close();
}

async function fill(service: Service, world: World): Promise<void> {
  const { port, grpcPort, authorization } = service;
  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  const eventService = new EventServiceClient(`127.0.0.1:${grpcPort}`, credentials.createInsecure());
  await importItems(service, world.size.items, world.item);
  await load(
    () => eventService.importEvents(metadata),
    world.size.events,
    world.pastEvent,
    (events) => ({
      environment,
      events,
    }),
  );
  eventService.close();
  for (const configuration of configurations)
    await call(port, '/configurations', configuration, authorization);
}

type Imported = { line: number; json: string };

/** A batch that is refused for want of time is sent again after so long, so often. */
const pauseMs = 1_000;
const mostPauses = 20;

/**
 * One batch under way at a time: the stream's answers say when the next may go. A machine that is too busy to store one in
 * time says so and ends the stream; what had begun may take effect all the same, which no figure minds.
 */
async function load<Batch>(
  open: () => ClientDuplexStream<Batch, { refused: unknown[] }>,
  count: number,
  makeRecord: (index: number) => unknown,
  toBatch: (records: Imported[]) => Batch,
): Promise<void> {
  let line = 0;
  const nextBatch = (): Batch | undefined => {
    const size = Math.min(recordsPerBatch, count - line);
    const makeLine = () => ({ json: JSON.stringify(makeRecord(line)), line: ++line });
    return size > 0 ? toBatch(Array.from({ length: size }, makeLine)) : undefined;
  };
  let batch = nextBatch();
  for (let pauses = 0; batch !== undefined; pauses++) {
    try {
      const stream = open();
      stream.write(batch);
      for await (const { refused } of stream as AsyncIterable<{ refused: unknown[] }>) {
        if (refused.length > 0)
          throw new Error(`A generated record was refused: ${JSON.stringify(refused[0])}`);
        batch = nextBatch();
        if (batch === undefined) stream.end();
        else stream.write(batch);
      }
    } catch (error) {
      if ((error as ServiceError).code !== status.UNAVAILABLE || pauses === mostPauses) throw error;
      await delay(pauseMs);
    }
  }
}
