/** `personalisation export items|events [FILE]`: writes exactly what import reads. */

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { Command } from 'commander';
import {
  EventServiceClient,
  type ExportEventsResponse,
} from '../../gen/grpc/personalisation/v1/event_service.ts';
import {
  type ExportedItem,
  type ExportItemsResponse,
  ItemServiceClient,
} from '../../gen/grpc/personalisation/v1/item_service.ts';
import { type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, parseMoment, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { placeBefore } from './file-place.ts';

type Options = ConnectionOptions & { environment: string; itemType?: string[]; from?: Date; to?: Date };
type Lines = AsyncIterable<string>;

export function registerExport(program: Command): void {
  const command = program.command('export').description('export items or events as NDJSON');
  const describe = (kind: string) =>
    withConnection(command.command(kind))
      .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
      .requiredOption('--environment <name>', `environment of the ${kind}`);
  describe('items')
    .description('export items; a disabled one carries "_enabled": false')
    .option('--item-type <name...>', 'only items of these types')
    .action((path: string | undefined, options: Options) =>
      conclude((signal) => exportLines(path, options, signal, readItems)),
    );
  describe('events')
    .description('export events, each with its timestamp')
    .option('--from <time>', 'only events at or after this moment', parseMoment)
    .option('--to <time>', 'only events before this moment', parseMoment)
    .action((path: string | undefined, options: Options) =>
      conclude((signal) => exportLines(path, options, signal, readEvents)),
    );
}

type Count = { records: number };
type Read = (connection: Connection, options: Options, count: Count, signal: AbortSignal) => Lines;

async function exportLines(
  path: string | undefined,
  options: Options,
  signal: AbortSignal,
  read: Read,
): Promise<number> {
  const count = { records: 0 };
  await withConnected(options, async (connection) => {
    const lines = read(connection, options, count, signal);
    if (path === undefined) await pipeline(Readable.from(lines), process.stdout, { signal, end: false });
    else await writeWhole(path, lines, signal);
  });
  process.stderr.write(`${count.records} exported.\n`);
  return exitCodes.success;
}

/** In place as a whole or not at all, unless it is no file. */
export async function writeWhole(path: string, lines: Lines, signal: AbortSignal): Promise<void> {
  const temporary = await placeBefore(path, '.new');
  const stages: Writable[] = [createWriteStream(temporary)];
  if (path.endsWith('.gz')) stages.unshift(createGzip());
  try {
    await pipeline([Readable.from(lines), ...(stages as [Writable])], { signal });
    if (temporary !== path) await rename(temporary, path);
  } catch (error) {
    if (temporary !== path) await rm(temporary, { force: true });
    throw error;
  }
}

async function* readItems(
  connection: Connection,
  options: Options,
  count: Count,
  signal: AbortSignal,
): Lines {
  const { environment, itemType } = options;
  const call = connection
    .client(ItemServiceClient)
    .exportItems({ environment, item_types: itemType ?? [] }, connection.metadata);
  for await (const { items } of readStream<ExportItemsResponse>(call, signal)) {
    count.records += items.length;
    yield items.map(itemLine).join('');
  }
}

/** Without its environment, so that it can be imported into another one. */
export function itemLine({ json, enabled }: Pick<ExportedItem, 'json' | 'enabled'>): string {
  const { environment: _, ...item } = JSON.parse(json);
  return `${JSON.stringify(enabled ? item : { ...item, _enabled: false })}\n`;
}

async function* readEvents(
  connection: Connection,
  options: Options,
  count: Count,
  signal: AbortSignal,
): Lines {
  const { environment, from, to } = options;
  const call = connection
    .client(EventServiceClient)
    .exportEvents({ environment, from, to }, connection.metadata);
  for await (const { json } of readStream<ExportEventsResponse>(call, signal)) {
    count.records += json.length;
    yield json.map((text) => `${text}\n`).join('');
  }
}

/** The stream's messages; a failed one throws, which grpc-js's own iterator may miss. */
export async function* readStream<Message>(call: ClientReadableStream<Message>, signal?: AbortSignal) {
  let failure: Error | undefined;
  const settled = new Promise<void>((resolve) => {
    call.once('error', (error) => {
      failure = error;
      resolve();
    });
    call.once('status', () => resolve());
  });
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of call) yield message as Message;
    await settled;
    if (failure) throw failure;
  } finally {
    signal?.removeEventListener('abort', cancel);
    call.cancel();
  }
}
