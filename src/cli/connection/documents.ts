/** Commands for documents of the HTTP interface: `get`, `put` and `delete`. */

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { print } from '../output.ts';
import { httpAction } from './actions.ts';
import type { HttpOptions } from './http.ts';

type Options = HttpOptions & { environment: string };

export type DocumentKind = {
  /** With its article, such as `an interest`. */
  noun: string;
  pathOf(options: Options, id: string): string;
  /** False without `put` [true]. */
  puts?: boolean;
};

/** @param add Adds a command with the options of the service. */
export function registerDocuments(add: (name: string) => Command, kind: DocumentKind): void {
  const { noun, pathOf, puts = true } = kind;
  const one = (name: string) => add(name).argument(`<${noun.split(' ')[1]}-id>`);
  one('get')
    .description(`print ${noun} as JSON`)
    .action(
      httpAction(async (http, id: string, options: Options) =>
        print(JSON.stringify(await http.request('GET', pathOf(options, id)), null, 2)),
      ),
    );
  one('delete')
    .description(`delete ${noun}`)
    .action(
      httpAction(async (http, id: string, options: Options) => {
        await http.request('DELETE', pathOf(options, id));
        print(`${id} is deleted.`);
      }),
    );
  if (!puts) return;
  one('put')
    .description(`store ${noun}, replacing one with the same ID`)
    .argument('<file>', 'JSON file')
    .action(
      httpAction(async (http, id: string, file: string, options: Options) => {
        await http.request('PUT', pathOf(options, id), JSON.parse(await readFile(file, 'utf8')));
        print(`${id} is stored.`);
      }),
    );
}
