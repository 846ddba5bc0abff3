/** The measured service: a process with its own database, filled through its public interface. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PersonalisationError } from '../../clients/node/src/errors.ts';
import { connect } from '../../src/cli/connection/connect.ts';
import { callOf, contextOf } from '../../src/cli/import.ts';
import { sendBatches } from '../../src/cli/importing/send-batches.ts';
import type { Batch } from '../../src/formats/records/batches.ts';
import { type Served, startNode, stopProcess, waitForOutput } from './processes.ts';
import { configurations, deploymentYaml, environment, type World } from './world.ts';

const recordsPerBatch = 2_000;

const root = resolve(import.meta.dirname, '../..');
/** The words of `npm start` without `exec node`, for a program that is up to date. */
const started: string[] = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  .scripts.start.split(' ')
  .slice(2);
execFileSync(process.execPath, ['tools/build-package.ts', '--if-older'], { cwd: root, stdio: 'inherit' });

export type Service = Served & {
  grpcPort: number;
  pid: number;
  /** Also of its embedded database. */
  dataDir: string;
  /** `Bearer …` of the admin client. */
  authorization: string;
};

/**
 * Fills a service and starts it again, so that it serves models of all data, and trains only after changes.
 *
 * @param threads Threads that make lists [the default of the service].
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

/** Waits until all threads that make lists are ready. */
async function awaitThreads({ port }: Service): Promise<void> {
  const tell = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    return ((await answer.json()) as { checks: Record<string, string> }).checks.threads;
  };
  while ((await tell()) !== 'ok') await delay(100);
}

/** Requests a training and waits for its end. */
export async function train(service: Service): Promise<void> {
  const id = await askForTraining(service);
  while ((await findTraining(service, id)).end_time === undefined) await delay(200);
}

/** Returns the ID of the queued training. */
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

/** @param yaml The deployment file. */
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
    return { port: Number(port), grpcPort: Number(grpcPort), pid: child.pid!, dataDir, authorization, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts one of several nodes on a database; `first` has created the admin client. */
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

/** Posts JSON and returns the JSON of the answer. */
export async function call(port: number, path: string, body: unknown, authorization = '') {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** @param makeItem Returns an item's JSON by its index. */
export function importItems(
  service: Service,
  count: number,
  makeItem: (index: number) => unknown,
): Promise<void> {
  return importRecords(service, 'items', count, makeItem);
}

async function fill(service: Service, world: World): Promise<void> {
  await importItems(service, world.size.items, world.item);
  await importRecords(service, 'events', world.size.events, world.pastEvent);
  for (const configuration of configurations)
    await call(service.port, '/configurations', configuration, service.authorization);
}

/** Pause before a batch that a busy machine could not store in time is sent again, and most such pauses. */
const pauseMs = 1_000;
const mostPauses = 20;

export async function importRecords(
  { grpcPort, authorization }: Service,
  kind: 'items' | 'events',
  count: number,
  makeRecord: (index: number) => unknown,
): Promise<void> {
  const token = authorization.replace('Bearer ', '');
  const connection = await connect({ url: '', address: `127.0.0.1:${grpcPort}`, token });
  const { signal } = new AbortController();
  const { toRequest } = contextOf({ kind, environment }, async () => callOf(kind, connection), signal);
  let sentCount = 0;
  async function* batches(): AsyncGenerator<Batch> {
    for (let start = sentCount; start < count; start += recordsPerBatch) {
      const size = Math.min(recordsPerBatch, count - start);
      const records = Array.from({ length: size }, (_, i) => ({
        line: start + i + 1,
        json: JSON.stringify(makeRecord(start + i)),
        enabled: undefined,
        text: '',
      }));
      yield { records, refused: [], skippedCount: 0, unmapped: [], lastLine: start + size };
    }
  }
  const send = () =>
    sendBatches({
      call: callOf(kind, connection),
      batches: batches(),
      toRequest: ({ records }) => toRequest(records),
      async acknowledge({ lastLine }, answer) {
        if (answer!.refused.length > 0)
          throw new Error(`A generated record was refused: ${JSON.stringify(answer!.refused[0].details)}`);
        sentCount = lastLine;
      },
      mostInFlight: 1,
      answerTimeoutMs: 120_000,
      signal,
    });
  for (let pauses = 0; sentCount < count; pauses++) {
    try {
      await send();
    } catch (error) {
      if ((error as PersonalisationError).reason !== 'UNAVAILABLE' || pauses === mostPauses) throw error;
      await delay(pauseMs);
    }
  }
  connection.close();
}
