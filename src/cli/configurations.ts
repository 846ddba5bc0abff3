/** `personalisation configurations …`: stores and reads configurations, keeps them as code, and tries drafts. */

import type { Command } from 'commander';
import {
  ConfigurationService,
  SimulateConfigurationResponseSchema,
} from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { parseCount } from './arguments.ts';
import { readConfiguration, readConfigurations } from './configurations/documents.ts';
import { apply, type DiffOptions, diff, pull } from './configurations/rules-as-code.ts';
import { describeDraft, describeVersion, lint, pathOf, toMessage } from './configurations/service.ts';
import { describeSimulation } from './configurations/simulation-report.ts';
import { httpAction, serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { registerDocuments } from './connection/documents.ts';
import { type HttpOptions, openHttp } from './connection/http.ts';
import {
  type ConnectionOptions,
  type EnvironmentOptions,
  withConnection,
  withHttp,
} from './connection/options.ts';
import { conclude, type ExitCode, exitCodes } from './connection/outcome.ts';
import { readAll } from './connection/pages.ts';
import { print, printMessage } from './output.ts';

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
  withConnection(command.command('put'))
    .description('store configurations, replacing those with the same ID, and print warnings')
    .argument('<file...>', 'JSON files, each a configuration or an array of them')
    .action(serviceAction(putFiles));
  registerDocuments((name) => withHttp(command.command(name)), {
    noun: 'a configuration',
    pathOf: (_, id) => pathOf(id),
    puts: false,
  });
  withHttp(command.command('list'))
    .description('print the IDs of all configurations')
    .action(
      httpAction(async (http, _: HttpOptions) => {
        for (const id of (await http.request('GET', '/configurations')) as string[]) print(id);
      }),
    );
}

function registerFolders(command: Command): void {
  withHttp(command.command('pull'))
    .description('write every configuration into a folder, one file each')
    .argument('<folder>')
    .action(httpAction(pull));
  withHttp(command.command('diff'))
    .description('compare a folder with the service; exit code 2 when they differ')
    .argument('<folder>')
    .option('--delete', 'include configurations that the folder lacks')
    .action((folder: string, options: DiffOptions) => conclude(() => diff(folder, options)));
  withConnection(command.command('apply'))
    .description('make the configurations of the service those of a folder')
    .argument('<folder>')
    .option('--dry-run', 'only print the changes; exit code 2 when there are some')
    .option('--delete', 'delete configurations that the folder lacks')
    .option('--comment <text>', 'reason, for the list of versions')
    .action(serviceAction(apply));
}

type RollBackOptions = ConnectionOptions & { comment?: string };

function registerVersions(command: Command): void {
  withConnection(command.command('versions'))
    .description('print the versions with author, time and comment, newest first')
    .argument('<configuration-id>')
    .action(
      serviceAction(async (connection, configurationId: string, _: ConnectionOptions) => {
        const service = connection.client(ConfigurationService);
        const list = (pageToken: string) => service.listConfigurationVersions({ configurationId, pageToken });
        for await (const version of readAll('versions', list)) print(describeVersion(version));
      }),
    );
  withConnection(command.command('roll-back'))
    .description('store an earlier version again')
    .argument('<configuration-id>')
    .argument('<version>', 'number of the version', parseCount)
    .option('--comment <text>', 'reason, for the list of versions')
    .action(
      serviceAction(
        async (connection, configurationId: string, version: number, options: RollBackOptions) => {
          const { comment } = options;
          const service = connection.client(ConfigurationService);
          const written = await service.rollBackConfiguration({ configurationId, version, comment });
          print(`${configurationId} is at version ${written.version}, which is version ${version} again.`);
        },
      ),
    );
}

type SimulateOptions = EnvironmentOptions & { requests?: number; json?: boolean };

function registerDrafts(command: Command): void {
  withConnection(command.command('drafts'))
    .description('print the drafts: ID, version that it changes, time and author')
    .action(
      serviceAction(async (connection, _: ConnectionOptions) => {
        const service = connection.client(ConfigurationService);
        const list = (pageToken: string) => service.listConfigurationDrafts({ pageToken });
        for await (const draft of readAll('drafts', list)) print(describeDraft(draft));
      }),
    );
  withConnection(command.command('lint'))
    .description('check configurations without storing them; exit code 2 when there are warnings')
    .argument('<file...>', 'JSON files, each a configuration or an array of them')
    .action(serviceAction(lintFiles));
  withConnection(command.command('simulate'))
    .description('compare a draft with the served version on the latest recorded requests')
    .argument('<file>', 'JSON file with one configuration')
    .requiredOption('--environment <name>', 'environment of the requests')
    .option('--requests <count>', 'most requests to try, newest first', parseCount)
    .option('--json', 'print the report as JSON')
    .action(serviceAction(simulateFile));
}

/** All files are read before the first configuration is stored. */
async function readDocuments(paths: string[]) {
  return (await Promise.all(paths.map(readConfigurations))).flat();
}

async function putFiles(connection: Connection, paths: string[], options: ConnectionOptions): Promise<void> {
  const http = await openHttp(options);
  for (const { id, document } of await readDocuments(paths)) {
    await http.request('PUT', pathOf(id), document);
    print(`${id} is stored.`);
    for (const warning of await lint(connection, id, document)) print(warning);
  }
}

async function lintFiles(connection: Connection, paths: string[], _: ConnectionOptions): Promise<ExitCode> {
  let warningCount = 0;
  for (const { id, document } of await readDocuments(paths)) {
    const warnings = await lint(connection, id, document);
    for (const warning of warnings) print(warning);
    warningCount += warnings.length;
  }
  return warningCount > 0 ? exitCodes.differences : exitCodes.success;
}

async function simulateFile(connection: Connection, path: string, options: SimulateOptions): Promise<void> {
  const draft = await readConfiguration(path);
  const { environment, requests: requestCount, json } = options;
  const request = { environment, requestCount, draft: await toMessage(draft.document) };
  const answer = await connection.client(ConfigurationService).simulateConfiguration(request);
  if (json) await printMessage(SimulateConfigurationResponseSchema, answer);
  else print(describeSimulation(draft.id, answer));
}
