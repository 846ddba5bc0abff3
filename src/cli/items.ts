/** `personalisation items get|put|patch|list`: single items, in the JSON of the HTTP interface. */

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { ItemSchema } from '../../gen/es/personalisation/v1/item_pb.js';
import {
  type ExportItemsResponse,
  ItemServiceClient,
} from '../../gen/grpc/personalisation/v1/item_service.ts';
import { withConnected } from './connection/connect.ts';
import { type HttpOptions, openHttp } from './connection/http.ts';
import {
  type ConnectionOptions,
  parseCount,
  withClient,
  withConnection,
  withUrl,
} from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { parseVariables } from './recommend.ts';
import { textFieldsOf } from './text-fields.ts';

type Document = Record<string, unknown>;
type ItemName = { itemType: string; itemId: string };
type Options = HttpOptions & { environment: string };
type ListOptions = ConnectionOptions & { environment: string; itemType?: string[]; limit: number };

export function registerItems(program: Command): void {
  const command = program.command('items').description('read and write single items; import writes many');
  const one = (name: string) =>
    withClient(withUrl(command.command(name)))
      .argument('<type/id>', 'the item, e.g. product/enamel-mug', parseName)
      .requiredOption('--environment <name>', 'environment of the item');
  one('get')
    .description('print an item')
    .action((item: ItemName, options: Options) => conclude(() => getItem(item, options)));
  one('put')
    .description('store an item as a whole')
    .argument('<file>', 'JSON of the item; - reads standard input')
    .action((item: ItemName, path: string, options: Options) => conclude(() => putItem(item, path, options)));
  one('patch')
    .description('change fields of an item and leave the others as they are; NAME= takes a field away')
    .argument('<name=value...>', 'fields; several of one name are an array')
    .action((item: ItemName, changes: string[], options: Options) =>
      conclude(() => patchItem(item, changes, options)),
    );
  withConnection(command.command('list'))
    .description('print items, one JSON object a line')
    .requiredOption('--environment <name>', 'environment of the items')
    .option('--item-type <name...>', 'only items of these types')
    .option('--limit <count>', 'how many', parseCount, 20)
    .action((options: ListOptions) => conclude(() => listItems(options)));
}

function parseName(name: string): ItemName {
  const end = name.indexOf('/');
  if (end < 1 || end === name.length - 1) throw new InvalidArgumentError('Write it as TYPE/ID.');
  return { itemType: name.slice(0, end), itemId: name.slice(end + 1) };
}

function pathOf({ itemType, itemId }: ItemName, environment: string): string {
  return `/${[environment, 'items', itemType, itemId].map(encodeURIComponent).join('/')}`;
}

async function getItem(item: ItemName, options: Options): Promise<number> {
  const http = await openHttp(options);
  const document = await http.request('GET', pathOf(item, options.environment));
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  return exitCodes.success;
}

async function putItem(item: ItemName, path: string, options: Options): Promise<number> {
  const document = parseDocument(
    path === '-' ? await text(process.stdin) : await readFile(path, 'utf8'),
    path,
  );
  return store(item, document, options);
}

async function patchItem(item: ItemName, changes: readonly string[], options: Options): Promise<number> {
  const http = await openHttp(options);
  await http.request('PATCH', pathOf(item, options.environment), toPatch(changes));
  return sayStored(item);
}

/** A merge patch: fields to set, and null for those to take away, where nothing stands after the sign. */
export function toPatch(changes: readonly string[]): Document {
  const assigned = Object.entries(parseVariables(changes, 'field', textFieldsOf(ItemSchema)) ?? {});
  return Object.fromEntries(assigned.map(([name, value]) => [name, value === '' ? null : value]));
}

async function store(item: ItemName, document: Document, options: Options): Promise<number> {
  const http = await openHttp(options);
  await http.request('PUT', pathOf(item, options.environment), document);
  return sayStored(item);
}

function sayStored({ itemType, itemId }: ItemName): number {
  process.stdout.write(`${itemType}/${itemId} is stored.\n`);
  return exitCodes.success;
}

function parseDocument(content: string, path: string): Document {
  try {
    return JSON.parse(content);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
}

async function listItems({ environment, itemType = [], limit, ...options }: ListOptions): Promise<number> {
  return withConnected(options, async (connection) => {
    const request = { environment, item_types: itemType };
    const stream = connection.client(ItemServiceClient).exportItems(request, connection.metadata);
    stream.on('error', () => undefined);
    let left = limit;
    try {
      for await (const { items } of stream as AsyncIterable<ExportItemsResponse>) {
        for (const { json } of items.slice(0, left)) process.stdout.write(`${json}\n`);
        left -= items.length;
        if (left <= 0) break;
      }
    } finally {
      stream.cancel();
    }
    return exitCodes.success;
  });
}
