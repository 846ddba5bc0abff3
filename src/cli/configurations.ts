/** `personalisation configurations …`: store and read configurations, keep them as code, look back, and try drafts. */

import type { Command } from 'commander';
import { readConfigurations } from './configurations/documents.ts';
import {
  type ApplyOptions,
  apply,
  type DiffOptions,
  describeWarning,
  diff,
  pull,
} from './configurations/rules-as-code.ts';
import { lint, listVersions, pathOf, rollBack, simulate } from './configurations/service.ts';
import { describeSimulation } from './configurations/simulation-report.ts';
import { describeVersion } from './configurations/versions.ts';
import { type Connection, withConnected } from './connection/connect.ts';
import { type Http, type HttpOptions, openHttp } from './connection/http.ts';
import {
  type ConnectionOptions,
  parseCount,
  withClient,
  withConnection,
  withUrl,
} from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';

export function registerConfigurations(program: Command): void {
  const command = program
    .command('configurations')
    .description('store, read, compare and try configurations');
  registerStored(command);
  registerFolders(command);
  registerVersions(command);
  registerDrafts(command);
}

function registerStored(command: Command): void {
  const run = (options: HttpOptions, work: (http: Http) => Promise<void>) =>
    conclude(async () => {
      await work(await openHttp(options));
      return exitCodes.success;
    });
  withConnection(command.command('put'))
    .description(
      'store configurations, replacing those of the same id, and print what is probably not meant so',
    )
    .argument('<file...>', 'JSON files, each a configuration or an array of them')
    .action((paths: string[], options: ConnectionOptions) =>
      run(options, (http) => withConnected(options, (connection) => putFiles(paths, http, connection))),
    );
  withClient(withUrl(command.command('get')))
    .description('print a configuration')
    .argument('<configuration-id>')
    .action((id: string, options: HttpOptions) =>
      run(options, async (http) => printJson(await http.request('GET', pathOf(id)))),
    );
  withClient(withUrl(command.command('list')))
    .description('print the ids of all configurations')
    .action((options: HttpOptions) =>
      run(options, async (http) => {
        for (const id of (await http.request('GET', '/configurations')) as string[]) print(id);
      }),
    );
  withClient(withUrl(command.command('delete')))
    .description('delete a configuration')
    .argument('<configuration-id>')
    .action((id: string, options: HttpOptions) =>
      run(options, async (http) => {
        await http.request('DELETE', pathOf(id));
        print(`${id} is deleted.`);
      }),
    );
}

function registerFolders(command: Command): void {
  withClient(withUrl(command.command('pull')))
    .description('write every configuration into a folder, one file each')
    .argument('<folder>')
    .action((folder: string, options: HttpOptions) => conclude(() => pull(folder, options)));
  withClient(withUrl(command.command('diff')))
    .description('compare a folder with the service; exit code 2 when they differ')
    .argument('<folder>')
    .option('--delete', 'count configurations that the folder lacks')
    .action((folder: string, options: DiffOptions) => conclude(() => diff(folder, options)));
  withConnection(command.command('apply'))
    .description('make the service hold what a folder holds')
    .argument('<folder>')
    .option('--dry-run', 'only say what would be done; exit code 2 when there is something')
    .option('--delete', 'delete configurations that the folder lacks')
    .option('--comment <text>', 'why, for the list of versions')
    .action((folder: string, options: ApplyOptions) => conclude(() => apply(folder, options)));
}

type Commented = ConnectionOptions & { comment?: string };

function registerVersions(command: Command): void {
  withConnection(command.command('versions'))
    .description('print who wrote which version, when and why, newest first')
    .argument('<configuration-id>')
    .action((id: string, options: ConnectionOptions) =>
      conclude(async () => {
        const versions = await withConnected(options, (connection) => listVersions(connection, id));
        for (const version of versions) print(describeVersion(version));
        return exitCodes.success;
      }),
    );
  withConnection(command.command('roll-back'))
    .description('write an earlier version again')
    .argument('<configuration-id>')
    .argument('<version>', 'number of the version', parseCount)
    .option('--comment <text>', 'why, for the list of versions')
    .action((id: string, version: number, { comment, ...options }: Commented) =>
      conclude(async () => {
        const request = { configuration_id: id, version, comment };
        const written = await withConnected(options, (connection) => rollBack(connection, request));
        print(`${id} is at version ${written}, which is version ${version} again.`);
        return exitCodes.success;
      }),
    );
}

type SimulateOptions = ConnectionOptions & { environment: string; requests?: number; json?: boolean };

function registerDrafts(command: Command): void {
  withConnection(command.command('lint'))
    .description('check configurations without storing them; exit code 2 when there are warnings')
    .argument('<file...>', 'JSON files, each a configuration or an array of them')
    .action((paths: string[], options: ConnectionOptions) => conclude(() => lintFiles(paths, options)));
  withConnection(command.command('simulate'))
    .description('try a draft on the latest real requests, beside what is in force')
    .argument('<file>', 'JSON file with one configuration')
    .requiredOption('--environment <name>', 'environment whose requests are tried')
    .option('--requests <count>', 'most requests to try, newest first', parseCount)
    .option('--json', 'print the report as JSON')
    .action((path: string, options: SimulateOptions) => conclude(() => simulateFile(path, options)));
}

/** All files are read before the first configuration is stored. */
async function putFiles(paths: string[], http: Http, connection: Connection): Promise<void> {
  const configurations = (await Promise.all(paths.map(readConfigurations))).flat();
  for (const { id, document } of configurations) {
    await http.request('PUT', pathOf(id), document);
    print(`${id} is stored.`);
    for (const warning of await lint(connection, document)) print(describeWarning(id, warning));
  }
}

async function lintFiles(paths: string[], options: ConnectionOptions): Promise<number> {
  const configurations = (await Promise.all(paths.map(readConfigurations))).flat();
  let warningCount = 0;
  await withConnected(options, async (connection) => {
    for (const { id, document } of configurations) {
      const warnings = await lint(connection, document);
      for (const warning of warnings) print(describeWarning(id, warning));
      warningCount += warnings.length;
    }
  });
  return warningCount > 0 ? exitCodes.differences : exitCodes.success;
}

async function simulateFile(path: string, options: SimulateOptions): Promise<number> {
  const [draft, ...others] = await readConfigurations(path);
  if (draft === undefined || others.length > 0) throw new Error(`${path} must hold one configuration.`);
  const { environment, requests: requestCount, json } = options;
  const { id, document } = draft;
  const answer = await withConnected(options, (connection) =>
    simulate(connection, { environment, document, requestCount }),
  );
  if (json) printJson(answer);
  else print(describeSimulation(id, answer));
  return exitCodes.success;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printJson(json: unknown): void {
  print(JSON.stringify(json, null, 2));
}
