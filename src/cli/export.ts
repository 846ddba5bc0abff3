/** `personalisation export items|events [FILE]`: writes what `import` reads; `export feed` writes a product feed. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { type ExportFeedResponse, FeedService } from '../../gen/es/personalisation/v1/feed_service_pb.js';
import { type ExportedItem, ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { parseMoment } from './arguments.ts';
import { interruptibleAction } from './connection/actions.ts';
import { type Connection, withoutDeadline } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { writeOutput } from './files.ts';
import { printNote } from './output.ts';

type Options = EnvironmentOptions & { itemType?: string[]; from?: Date; to?: Date };

export function registerExport(program: Command): void {
  const command = program.command('export').description('export items or events as NDJSON');
  const describe = (kind: string) =>
    withConnection(command.command(kind))
      .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
      .requiredOption('--environment <name>', `environment of the ${kind}`);
  describe('items')
    .description('export items; a disabled one has "_enabled": false')
    .option('--item-type <name...>', 'only items of these types')
    .action(interruptibleAction(exporting(readItems)));
  describe('events')
    .description('export events, each with its timestamp')
    .option('--from <time>', 'only events at or after this moment', parseMoment)
    .option('--to <time>', 'only events before this moment', parseMoment)
    .action(interruptibleAction(exporting(readEvents)));
  withConnection(command.command('feed'))
    .description('export a product feed of the deployment file')
    .argument('<feed>', 'name of the feed with its format: .tsv, .xml or .jsonl')
    .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
    .requiredOption('--environment <name>', 'environment of the feed')
    .action(interruptibleAction(exportFeed));
}

async function exportFeed(
  connection: Connection,
  signal: AbortSignal,
  feed: string,
  path: string | undefined,
  { environment }: EnvironmentOptions,
): Promise<void> {
  const answers = connection
    .client(FeedService)
    .exportFeed({ environment, feed }, { ...withoutDeadline, signal });
  let last: ExportFeedResponse | undefined;
  async function* chunks() {
    for await (const answer of answers) {
      last = answer;
      for (const line of answer.lines) yield `${line}\n`;
    }
  }
  await writeOutput(path, chunks(), signal);
  const missing = Object.entries(last?.leftOut ?? {}).map(([name, count]) => `${count} without ${name}`);
  printNote(
    `${last?.itemCount ?? 0} exported${missing.length > 0 ? `, left out ${missing.join(', ')}` : ''}.`,
  );
}

/** Lines of one message, each with its end. */
type Lines = AsyncIterable<string[]>;
type Read = (connection: Connection, options: Options, signal: AbortSignal) => Lines;

function exporting(read: Read) {
  return async (
    connection: Connection,
    signal: AbortSignal,
    path: string | undefined,
    options: Options,
  ): Promise<void> => {
    let recordCount = 0;
    async function* chunks() {
      for await (const lines of read(connection, options, signal)) {
        recordCount += lines.length;
        yield lines.join('');
      }
    }
    await writeOutput(path, chunks(), signal);
    printNote(`${recordCount} exported.`);
  };
}

async function* readItems(connection: Connection, options: Options, signal: AbortSignal): Lines {
  const { environment, itemType: itemTypes } = options;
  const request = { environment, itemTypes };
  const answers = connection.client(ItemService).exportItems(request, { ...withoutDeadline, signal });
  for await (const { items } of answers) yield items.map(itemLine);
}

/** Leaves out the environment, so that the line can be imported into another one. */
export function itemLine({ json, enabled }: Pick<ExportedItem, 'json' | 'enabled'>): string {
  const { environment: _, ...item } = JSON.parse(json);
  return `${JSON.stringify(enabled ? item : { ...item, _enabled: false })}\n`;
}

async function* readEvents(connection: Connection, options: Options, signal: AbortSignal): Lines {
  const { environment, from, to } = options;
  const request = { environment, from: from && timestampFromDate(from), to: to && timestampFromDate(to) };
  const answers = connection.client(EventService).exportEvents(request, { ...withoutDeadline, signal });
  for await (const { json } of answers) yield json.map((text) => `${text}\n`);
}
