/** An import into a fake service, without a terminal. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { connect } from '../../../src/cli/connection/connect.ts';
import { callOf, contextOf } from '../../../src/cli/import.ts';
import { type ImportContext, type ImportOptions, runImport } from '../../../src/cli/importing/run-import.ts';
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
  readDeclared?: ImportContext['readDeclared'];
};

export async function importInto(t: ExecutionContext, run: ImportRun) {
  const {
    onBatch,
    signal = new AbortController().signal,
    notes = [],
    answerTimeoutMs,
    readDeclared,
    ...given
  } = run;
  const service = await startFakeService(onBatch);
  t.teardown(() => service.stop());
  const options: ImportOptions = {
    kind: 'items',
    environment: 'shop',
    address: 'the same one',
    resume: true,
    ...given,
  };
  const connection = await connect({ url: '', address: service.address, token: 'token' });
  try {
    const context = contextOf(options, async () => callOf(options.kind, connection), signal);
    return await runImport(options, {
      ...context,
      answerTimeoutMs,
      readDeclared,
      note: (sentence) => notes.push(sentence),
      createProgress: () => ({ update() {}, stop() {} }),
    });
  } finally {
    connection.close();
  }
}

/** `count` items as NDJSON. */
export function itemLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `${JSON.stringify({ item_id: `i${i + 1}` })}\n`).join('');
}
