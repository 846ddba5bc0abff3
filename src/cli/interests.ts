/** `personalisation interests …`: standing interests, which announce new items to users. */

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { httpAction } from './connection/actions.ts';
import type { HttpOptions } from './connection/http.ts';
import { withHttp } from './connection/options.ts';
import { print } from './output.ts';

type Options = HttpOptions & { environment: string };

export function registerInterests(program: Command): void {
  const command = program.command('interests').description('announcements of new items to users');
  const describe = (name: string, text: string) =>
    withHttp(command.command(name))
      .description(text)
      .requiredOption('--environment <name>', 'environment of the items');
  describe('put', 'store an interest, replacing one with the same ID')
    .argument('<interest-id>')
    .argument('<file>', 'JSON file')
    .action(
      httpAction(async (http, id: string, file: string, options: Options) => {
        await http.request('PUT', pathOf(options, id), JSON.parse(await readFile(file, 'utf8')));
        print(`${id} is stored.`);
      }),
    );
  describe('list', 'print the interests as JSON').action(
    httpAction(async (http, options: Options) =>
      print(JSON.stringify(await http.request('GET', pathOf(options)), null, 2)),
    ),
  );
  describe('get', 'print an interest as JSON')
    .argument('<interest-id>')
    .action(
      httpAction(async (http, id: string, options: Options) =>
        print(JSON.stringify(await http.request('GET', pathOf(options, id)), null, 2)),
      ),
    );
  describe('delete', 'delete an interest')
    .argument('<interest-id>')
    .action(
      httpAction(async (http, id: string, options: Options) => {
        await http.request('DELETE', pathOf(options, id));
        print(`${id} is deleted.`);
      }),
    );
}

const pathOf = ({ environment }: Options, ...id: string[]) =>
  `/${[environment, 'interests', ...id].map(encodeURIComponent).join('/')}`;
