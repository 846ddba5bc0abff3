/** An import into a fake service, without a terminal. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import type { ExecutionContext } from 'ava';
import { EventServiceClient } from '../../../gen/grpc/personalisation/v1/event_service.ts';
import { ItemServiceClient } from '../../../gen/grpc/personalisation/v1/item_service.ts';
import { type ImportOptions, runImport } from '../../../src/cli/importing/run-import.ts';
import type { BatchAnswer } from '../../../src/cli/importing/send-batches.ts';
import { type OnBatch, startFakeService } from './fake-service.ts';

/** A folder with one file, removed after the test. */
export async function writeInput(
  t: ExecutionContext,
  name: string,
  content: string | Buffer,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

export type ImportRun = Partial<ImportOptions> & {
  path: string;
  onBatch: OnBatch;
  signal?: AbortSignal;
  notes?: string[];
  answerTimeoutMs?: number;
};

export async function importInto(t: ExecutionContext, run: ImportRun) {
  const { onBatch, signal = new AbortController().signal, notes = [], answerTimeoutMs, ...given } = run;
  const service = await startFakeService(onBatch);
  t.teardown(() => service.stop());
  const options: ImportOptions = {
    kind: 'items',
    environment: 'shop',
    address: 'the same one',
    resume: true,
    ...given,
  };
  const isItems = options.kind === 'items';
  const Client = isItems ? ItemServiceClient : EventServiceClient;
  const client = new Client(service.address, credentials.createInsecure());
  const { environment } = options;
  try {
    return await runImport(options, {
      signal,
      answerTimeoutMs,
      note: (sentence) => notes.push(sentence),
      createProgress: () => ({ report() {}, stop() {} }),
      openCall: async () =>
        ('importItems' in client ? client.importItems() : client.importEvents()) as ClientDuplexStream<
          unknown,
          BatchAnswer
        >,
      toRequest: (records) => (isItems ? { environment, items: records } : { environment, events: records }),
    });
  } finally {
    client.close();
  }
}

/** `count` items as NDJSON. */
export function itemLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `${JSON.stringify({ item_id: `i${i + 1}` })}\n`).join('');
}
