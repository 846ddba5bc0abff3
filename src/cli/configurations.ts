/**
 * `personalisation configurations put|get|list|delete`, over the documented JSON paths: a configuration has many spellings,
 * which the service keeps as they were written only there.
 */

import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { type HttpOptions, openHttp } from './connection/http.ts';
import { withClient } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';

type Work = (http: Awaited<ReturnType<typeof openHttp>>) => Promise<void>;

export function registerConfigurations(program: Command): void {
  const command = program.command('configurations').description('store and read configurations');
  const run = (options: HttpOptions, work: Work) =>
    conclude(async () => {
      await work(await openHttp(options));
      return exitCodes.success;
    });
  withUrl(command.command('put'))
    .description('store configurations, replacing those of the same id')
    .argument('<file...>', 'JSON files, each a configuration or an array of them')
    .action((paths: string[], options: HttpOptions) => run(options, (http) => putFiles(paths, http)));
  withUrl(command.command('get'))
    .description('print a configuration')
    .argument('<configuration-id>')
    .action((id: string, options: HttpOptions) =>
      run(options, async (http) => print(await http.request('GET', pathOf(id)))),
    );
  withUrl(command.command('list'))
    .description('print the ids of all configurations')
    .action((options: HttpOptions) =>
      run(options, async (http) => {
        for (const id of (await http.request('GET', '/configurations')) as string[])
          process.stdout.write(`${id}\n`);
      }),
    );
  withUrl(command.command('delete'))
    .description('delete a configuration')
    .argument('<configuration-id>')
    .action((id: string, options: HttpOptions) =>
      run(options, async (http) => {
        await http.request('DELETE', pathOf(id));
        process.stdout.write(`${id} is deleted.\n`);
      }),
    );
}

function withUrl(command: Command): Command {
  const url = new Option('--url <url>', 'base URL of the HTTP interface')
    .env('PERSONALISATION_URL')
    .default('http://localhost:8080/api');
  return withClient(command.addOption(url));
}

/** All files are read before the first configuration is stored. */
async function putFiles(paths: string[], http: Parameters<Work>[0]): Promise<void> {
  const configurations = (await Promise.all(paths.map(readConfigurations))).flat();
  for (const { id, configuration } of configurations) {
    await http.request('PUT', pathOf(id), configuration);
    process.stdout.write(`${id} is stored.\n`);
  }
}

async function readConfigurations(path: string) {
  const text = await readFile(path, 'utf8');
  return parseConfigurations(text, path);
}

/** @param path Names the file in messages. */
export function parseConfigurations(text: string, path: string): { id: string; configuration: unknown }[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}.`);
  }
  return [json].flat().map((configuration) => {
    const id = (configuration as { configuration_id?: unknown } | null)?.configuration_id;
    if (typeof id === 'string' && id !== '') return { id, configuration };
    throw new Error(`${path} holds a configuration without a configuration_id.`);
  });
}

function pathOf(id: string): string {
  return `/configurations/${encodeURIComponent(id)}`;
}

function print(json: unknown): void {
  process.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
}
