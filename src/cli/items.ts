/** `personalisation items get|put|patch|list`: single items, in the JSON of the HTTP interface. */

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { ItemSchema } from '../../gen/es/personalisation/v1/item_pb.js';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { parseCount, parseVariables, textFieldsOf } from './arguments.ts';
import { httpAction, serviceAction } from './connection/actions.ts';
import { type Connection, withoutDeadline } from './connection/connect.ts';
import type { HttpOptions } from './connection/http.ts';
import { type EnvironmentOptions, withConnection, withHttp } from './connection/options.ts';
import { parseJson } from './json.ts';
import { print } from './output.ts';

type ItemName = { itemType: string; itemId: string };
type Options = HttpOptions & { environment: string };
type ListOptions = EnvironmentOptions & { itemType?: string[]; limit: number };

export function registerItems(program: Command): void {
  const command = program.command('items').description('read and write single items; import writes many');
  const one = (name: string) =>
    withHttp(command.command(name))
      .argument('<type/id>', 'the item, such as product/enamel-mug', parseName)
      .requiredOption('--environment <name>', 'environment of the item');
  one('get')
    .description('print an item')
    .action(
      httpAction(async (http, item: ItemName, options: Options) =>
        print(JSON.stringify(await http.request('GET', pathOf(item, options)), undefined, 2)),
      ),
    );
  one('put')
    .description('store a complete item')
    .argument('<file>', 'JSON of the item; - reads standard input')
    .action(
      httpAction(async (http, item: ItemName, path: string, options: Options) => {
        await http.request('PUT', pathOf(item, options), await readDocument(path));
        print(`${nameOf(item)} is stored.`);
      }),
    );
  one('patch')
    .description('change fields of an item and keep the others; NAME= removes a field')
    .argument('<name=value...>', 'fields; several of one name are an array')
    .action(
      httpAction(async (http, item: ItemName, changes: string[], options: Options) => {
        await http.request('PATCH', pathOf(item, options), toPatch(changes));
        print(`${nameOf(item)} is stored.`);
      }),
    );
  withConnection(command.command('list'))
    .description('print items, one JSON object per line')
    .requiredOption('--environment <name>', 'environment of the items')
    .option('--item-type <name...>', 'only items of these types')
    .option('--limit <count>', 'number of items', parseCount, 20)
    .action(serviceAction(listItems));
}

function parseName(name: string): ItemName {
  const end = name.indexOf('/');
  if (end < 1 || end === name.length - 1) throw new InvalidArgumentError('Write it as TYPE/ID.');
  return { itemType: name.slice(0, end), itemId: name.slice(end + 1) };
}

const nameOf = ({ itemType, itemId }: ItemName): string => `${itemType}/${itemId}`;

function pathOf({ itemType, itemId }: ItemName, { environment }: Options): string {
  return `/${[environment, 'items', itemType, itemId].map(encodeURIComponent).join('/')}`;
}

async function readDocument(path: string): Promise<unknown> {
  const document = parseJson(path === '-' ? await text(process.stdin) : await readFile(path, 'utf8'));
  if (document === undefined) throw new Error(`${path} is not JSON.`);
  return document;
}

/** Returns a merge patch: fields to set, and null for fields without a value. */
export function toPatch(changes: readonly string[]): Record<string, unknown> {
  const assigned = Object.entries(parseVariables(changes, 'field', textFieldsOf(ItemSchema)) ?? {});
  return Object.fromEntries(assigned.map(([name, value]) => [name, value === '' ? null : value]));
}

async function listItems(connection: Connection, options: ListOptions): Promise<void> {
  const { environment, itemType: itemTypes, limit } = options;
  let left = limit;
  const answers = connection.client(ItemService).exportItems({ environment, itemTypes }, withoutDeadline);
  for await (const { items } of answers) {
    for (const { json } of items.slice(0, left)) print(json);
    left -= items.length;
    if (left <= 0) break;
  }
}
