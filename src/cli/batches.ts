/** `personalisation batches create|list|show|watch|results|cancel`: lists for many subjects, from a file and into one. */

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type Batch, BatchState } from '../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../gen/es/personalisation/v1/batch_service_pb.js';
import { parseCount } from './arguments.ts';
import { httpAction, interruptibleAction, serviceAction } from './connection/actions.ts';
import { type Connection, withoutDeadline } from './connection/connect.ts';
import { ServiceFailure } from './connection/failure.ts';
import type { Http } from './connection/http.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { type ExitCode, exitCodes } from './connection/outcome.ts';
import { readAll } from './connection/pages.ts';
import { type ResultFormat, resultFormatOf, writeOutput } from './files.ts';
import { joinParts, print } from './output.ts';
import { createProgress } from './progress.ts';

type Options = EnvironmentOptions;
type CreateOptions = Options & { users?: string; devices?: string; audience?: string; activeWithin?: number };
type ResultOptions = Options & { format?: ResultFormat; offset: number };

/** Subjects of one request. */
const mostIds = 100_000;
const pollingMs = 500;
/** Pause after a refusal that names none. */
const defaultWaitMs = 30_000;

export function registerBatches(program: Command): void {
  const command = program.command('batches').description('lists for many people at once');
  const describe = (name: string, text: string) =>
    withConnection(command.command(name))
      .description(text)
      .requiredOption('--environment <name>', 'environment of people and items');
  const ofBatch = (name: string, text: string) => describe(name, text).argument('<batch-id>', 'the batch');
  describe(
    'create',
    'request a batch and print its ID. A file of more than 100,000 IDs makes several batches',
  )
    .argument('<file>', 'JSON: page_type, lists and the other fields of a batch request')
    .option('--users <file>', 'users, one ID per line')
    .option('--devices <file>', 'devices, one ID per line')
    .option('--audience <id>', 'the users of a stored audience')
    .option('--active-within <days>', 'users and devices that were active in the last days', parseCount)
    .action(httpAction(createBatches));
  describe('list', 'list batches, newest first').action(serviceAction(listBatches));
  ofBatch('show', 'print the state of a batch').action(
    serviceAction(async (connection, id: string, options: Options) => {
      print(describeBatch(await findBatch(connection, id, options)));
    }),
  );
  ofBatch('watch', 'show the progress of a batch until it ends').action(interruptibleAction(watchBatch));
  ofBatch('results', 'write the lists of a batch that are complete')
    .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
    .addOption(
      new Option('--format <kind>', 'kind of lines (default: by the name of the file, else csv)').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--offset <place>', 'first subject, from 1: the last one read plus one', parseCount, 1)
    .action(interruptibleAction(exportResults));
  ofBatch('cancel', 'cancel a batch; its complete lists are kept').action(serviceAction(cancelBatch));
}

async function createBatches(http: Http, path: string, options: CreateOptions): Promise<void> {
  const request = JSON.parse(await readFile(path, 'utf8')) as object;
  const send = (subjects: object) =>
    http.request('POST', `/${options.environment}/batches`, { ...request, ...subjects });
  for (const [index, subjects] of (await subjectsOf(options)).entries()) {
    /** Later batches of a file wait for the earlier ones to end; without them, the file would be half done. */
    const created = await (index === 0 ? send(subjects) : waitForRoom(() => send(subjects)));
    print((created as { batch_id: string }).batch_id);
  }
}

async function waitForRoom<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.reason !== 'RATE_LIMITED') throw error;
      await delay(error.retryAfterMs ?? defaultWaitMs);
    }
  }
}

async function subjectsOf({ users, devices, audience, activeWithin }: CreateOptions): Promise<object[]> {
  if (users !== undefined) return (await readIds(users)).map((ids) => ({ user_ids: ids }));
  if (devices !== undefined) return (await readIds(devices)).map((ids) => ({ device_ids: ids }));
  if (audience !== undefined) return [{ audience_id: audience }];
  return [activeWithin === undefined ? {} : { active_within_days: activeWithin }];
}

async function readIds(path: string): Promise<string[][]> {
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
  const ids = [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))];
  const count = Math.max(1, Math.ceil(ids.length / mostIds));
  return Array.from({ length: count }, (_, i) => ids.slice(i * mostIds, (i + 1) * mostIds));
}

async function listBatches(connection: Connection, { environment }: Options): Promise<void> {
  const service = connection.client(BatchService);
  const list = (pageToken: string) => service.listBatches({ environment, pageSize: 200, pageToken });
  for await (const batch of readAll('batches', list)) print(describeBatch(batch));
}

async function findBatch(connection: Connection, batchId: string, { environment }: Options): Promise<Batch> {
  const { batch } = await connection.client(BatchService).getBatch({ environment, batchId });
  return batch!;
}

async function watchBatch(
  connection: Connection,
  signal: AbortSignal,
  batchId: string,
  options: Options,
): Promise<ExitCode> {
  let batch = await findBatch(connection, batchId, options);
  const progress = createProgress({ total: 1 });
  try {
    while (!batch.endTime) {
      const { peopleCount, answeredCount } = batch;
      progress.update(answeredCount / Math.max(1, peopleCount), `${answeredCount} of ${peopleCount} people`);
      await delay(pollingMs, undefined, { signal });
      batch = await findBatch(connection, batchId, options);
    }
  } finally {
    progress.stop();
  }
  print(describeBatch(batch));
  return batch.state === BatchState.DONE ? exitCodes.success : exitCodes.failure;
}

async function cancelBatch(connection: Connection, batchId: string, { environment }: Options): Promise<void> {
  const { batch } = await connection.client(BatchService).cancelBatch({ environment, batchId });
  print(describeBatch(batch!));
}

function describeBatch({ batchId, state, answeredCount, peopleCount, schedule, failure }: Batch): string {
  const people = `${answeredCount} of ${peopleCount} people`;
  return joinParts([batchId, BatchState[state].toLowerCase(), people, schedule, failure]);
}

async function exportResults(
  connection: Connection,
  signal: AbortSignal,
  batchId: string,
  path: string | undefined,
  { environment, offset, format: given }: ResultOptions,
): Promise<void> {
  const format = resultFormatOf(path, given);
  const request = { environment, batchId, offset, format };
  const answers = connection.client(BatchService).exportBatchResults(request, { ...withoutDeadline, signal });
  async function* lines() {
    for await (const { lines } of answers) if (lines.length > 0) yield `${lines.join('\n')}\n`;
  }
  await writeOutput(path, lines(), signal);
}
