/** `personalisation interests …`: standing interests, which announce new items to users. */

import type { Command } from 'commander';
import { httpAction } from './connection/actions.ts';
import { registerDocuments } from './connection/documents.ts';
import type { HttpOptions } from './connection/http.ts';
import { withHttp } from './connection/options.ts';
import { print } from './output.ts';

type Options = HttpOptions & { environment: string };

export function registerInterests(program: Command): void {
  const command = program.command('interests').description('announcements of new items to users');
  const add = (name: string) =>
    withHttp(command.command(name)).requiredOption('--environment <name>', 'environment of the items');
  registerDocuments(add, { noun: 'an interest', pathOf });
  add('list')
    .description('print the interests as JSON')
    .action(
      httpAction(async (http, options: Options) =>
        print(JSON.stringify(await http.request('GET', pathOf(options)), null, 2)),
      ),
    );
}

const pathOf = ({ environment }: Options, ...id: string[]) =>
  `/${[environment, 'interests', ...id].map(encodeURIComponent).join('/')}`;
