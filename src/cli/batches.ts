/** `personalisation batches create|list|show|watch|results|cancel`: lists for many people, from a file and into one. */

import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { type Command, Option } from 'commander';
import { type Batch, BatchState, batchStateToJSON } from '../../gen/grpc/personalisation/v1/batch.ts';
import {
  BatchServiceClient,
  type CancelBatchResponse,
  type ExportBatchResultsResponse,
  type GetBatchResponse,
  type ListBatchesResponse,
} from '../../gen/grpc/personalisation/v1/batch_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { KnownFailure } from './connection/failure.ts';
import { openHttp } from './connection/http.ts';
import { type ConnectionOptions, parseCount, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { readPages } from './connection/pages.ts';
import { readStream, writeWhole } from './export.ts';

type Options = ConnectionOptions & { environment: string };
type CreateOptions = Options & { users?: string; devices?: string; audience?: string; activeWithin?: number };
type ResultOptions = Options & { format?: 'csv' | 'ndjson'; offset: number };

/** People whom one request may name. */
const mostIds = 100_000;
const pollingMs = 500;
/** Where a service without room does not say for how long. */
const usualWaitSeconds = 30;

export function registerBatches(program: Command): void {
  const command = program.command('batches').description('lists for many people at once');
  const describe = (name: string, text: string) =>
    withConnection(command.command(name))
      .description(text)
      .requiredOption('--environment <name>', 'environment of people and items');
  const ofBatch = (name: string, text: string) => describe(name, text).argument('<batch-id>', 'the batch');
  describe('create', 'ask for a batch; prints its id. A file of more than 100,000 ids makes several')
    .argument('<file>', 'JSON: page_type, lists and what else a batch request holds')
    .option('--users <file>', 'users, one id a line')
    .option('--devices <file>', 'devices, one id a line')
    .option('--audience <id>', 'the users of a stored audience')
    .option('--active-within <days>', 'who did something in the last so many days', parseCount)
    .action((path: string, options: CreateOptions) => conclude(() => createBatches(path, options)));
  describe('list', 'list batches, newest first').action((options: Options) =>
    conclude(() => withConnected(options, (connection) => list(connection, options))),
  );
  ofBatch('show', 'say how far a batch is').action((id: string, options: Options) =>
    conclude(() => withConnected(options, (connection) => show(connection, id, options))),
  );
  ofBatch('watch', 'show the progress of a batch until its end').action((id: string, options: Options) =>
    conclude((signal) => withConnected(options, (connection) => watch(connection, id, options, signal))),
  );
  ofBatch('results', 'write the lists of a batch, as far as they are made')
    .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
    .addOption(
      new Option('--format <kind>', 'kind of lines (default: by the name of the file, else csv)').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--offset <place>', 'first person, from 1: one above the last that was read', parseCount, 1)
    .action((id: string, path: string | undefined, options: ResultOptions) =>
      conclude((signal) => exportResults(id, path, options, signal)),
    );
  ofBatch('cancel', 'cancel a batch; lists that are made stay').action((id: string, options: Options) =>
    conclude(() => withConnected(options, (connection) => cancel(connection, id, options))),
  );
}

async function createBatches(path: string, options: CreateOptions): Promise<number> {
  const request = JSON.parse(await readFile(path, 'utf8')) as object;
  const http = await openHttp(options);
  const askFor = (people: object) =>
    http.request('POST', `/${options.environment}/batches`, { ...request, ...people });
  for (const [place, people] of (await peopleOf(options)).entries()) {
    /** What was asked for makes room when it ends; without the others it would be half of a file. */
    const created = await (place === 0 ? askFor(people) : whenThereIsRoom(() => askFor(people)));
    process.stdout.write(`${(created as { batch_id: string }).batch_id}\n`);
  }
  return exitCodes.success;
}

async function whenThereIsRoom<Answer>(tryOnce: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await tryOnce();
    } catch (error) {
      if (!(error instanceof KnownFailure) || error.failure.reason !== 'RATE_LIMITED') throw error;
      await delay(1_000 * (error.failure.retryAfterSeconds ?? usualWaitSeconds));
    }
  }
}

/** One request's each. */
async function peopleOf({ users, devices, audience, activeWithin }: CreateOptions): Promise<object[]> {
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

async function list(connection: Connection, { environment }: Options): Promise<number> {
  const service = connection.client(BatchServiceClient);
  const pages = readPages((page_token) =>
    ask<ListBatchesResponse>((call, callback) =>
      service.listBatches({ environment, page_size: 200, page_token }, connection.metadata, call, callback),
    ),
  );
  for await (const { batches } of pages)
    process.stdout.write(batches.map((batch) => `${describeBatch(batch)}\n`).join(''));
  return exitCodes.success;
}

async function find(connection: Connection, batchId: string, { environment }: Options): Promise<Batch> {
  const service = connection.client(BatchServiceClient);
  const { batch } = await ask<GetBatchResponse>((call, callback) =>
    service.getBatch({ environment, batch_id: batchId }, connection.metadata, call, callback),
  );
  return batch!;
}

async function show(connection: Connection, batchId: string, options: Options): Promise<number> {
  process.stdout.write(`${describeBatch(await find(connection, batchId, options))}\n`);
  return exitCodes.success;
}

async function watch(
  connection: Connection,
  batchId: string,
  options: Options,
  signal: AbortSignal,
): Promise<number> {
  const bar = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage}% | {value} of {total} people | {eta_formatted}',
    noTTYOutput: false,
  });
  bar.start(1, 0);
  try {
    for (;;) {
      const batch = await find(connection, batchId, options);
      bar.setTotal(Math.max(1, batch.people_count));
      bar.update(batch.answered_count);
      if (batch.end_time) {
        bar.stop();
        process.stdout.write(`${describeBatch(batch)}\n`);
        return batch.state === BatchState.BATCH_STATE_DONE ? exitCodes.success : exitCodes.failure;
      }
      await delay(pollingMs, undefined, { signal });
    }
  } finally {
    bar.stop();
  }
}

async function cancel(connection: Connection, batchId: string, { environment }: Options): Promise<number> {
  const service = connection.client(BatchServiceClient);
  const { batch } = await ask<CancelBatchResponse>((call, callback) =>
    service.cancelBatch({ environment, batch_id: batchId }, connection.metadata, call, callback),
  );
  process.stdout.write(`${describeBatch(batch!)}\n`);
  return exitCodes.success;
}

function describeBatch({ batch_id, state, answered_count, people_count, schedule, failure }: Batch): string {
  const name = batchStateToJSON(state).replace('BATCH_STATE_', '').toLowerCase();
  const people = `${answered_count} of ${people_count} people`;
  return [batch_id, name, people, schedule, failure].filter((part) => part !== '').join('  ');
}

async function exportResults(
  batchId: string,
  path: string | undefined,
  options: ResultOptions,
  signal: AbortSignal,
): Promise<number> {
  const format = options.format ?? (path && /\.(ndjson|jsonl)(\.gz)?$/.test(path) ? 'ndjson' : 'csv');
  await withConnected(options, async (connection) => {
    const { environment, offset } = options;
    const request = { environment, batch_id: batchId, offset, format };
    const call = connection.client(BatchServiceClient).exportBatchResults(request, connection.metadata);
    const lines = readLines(readStream<ExportBatchResultsResponse>(call, signal));
    if (path === undefined) await pipeline(Readable.from(lines), process.stdout, { signal, end: false });
    else await writeWhole(path, lines, signal);
  });
  return exitCodes.success;
}

async function* readLines(answers: AsyncIterable<ExportBatchResultsResponse>): AsyncIterable<string> {
  for await (const { lines } of answers) if (lines.length > 0) yield `${lines.join('\n')}\n`;
}
