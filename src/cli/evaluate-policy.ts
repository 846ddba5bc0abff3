/** `personalisation evaluate policy`: estimates what a configuration would have earned. */

import { type Command, Option } from 'commander';
import {
  ConfigurationService,
  EvaluatePolicyResponseSchema,
} from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { parseCount } from './arguments.ts';
import { readConfiguration } from './configurations/documents.ts';
import { describePolicies } from './configurations/policy-report.ts';
import { toMessage } from './configurations/service.ts';
import type { Connection } from './connection/connect.ts';
import type { EnvironmentOptions } from './connection/options.ts';
import { conclude } from './connection/outcome.ts';
import { print, printMessage } from './output.ts';

type Options = EnvironmentOptions & {
  configuration: string;
  draft?: string;
  against?: string;
  from?: string;
  to?: string;
  metric: string;
  requests?: number;
  json?: boolean;
};

/** @param evaluate The parent command; it has `--environment`, `--json` and the connection, too. */
export function registerEvaluatePolicy(evaluate: Command): void {
  evaluate
    .command('policy')
    .description('estimate what a configuration would have earned at the explored positions of its lists')
    .requiredOption('--configuration <id@version>', 'configuration: id, id@7, or id@draft with --draft')
    .option('--draft <file>', 'JSON file with the draft')
    .option('--against <id@version>', 'version to compare with (default: the version in force)')
    .option('--from <time>', 'lists from this time, RFC 3339 (default: 30 days before --to)')
    .option('--to <time>', 'lists before this time, RFC 3339 (default: now)')
    .addOption(
      new Option('--metric <name>', 'reward of a shown item')
        .choices(['clicks', 'purchases', 'revenue'])
        .default('clicks'),
    )
    .option('--requests <count>', 'most recorded requests to replay', parseCount)
    .option('--environment <name>', 'environment of the requests')
    .option('--json', 'print the answer as JSON')
    .action((_: unknown, command: Command) =>
      conclude(async () => {
        const options = command.optsWithGlobals<Options>();
        const { withConnected } = await import('./connection/connect.ts');
        return withConnected(options, (connection) => run(connection, options));
      }),
    );
}

async function run(connection: Connection, options: Options): Promise<void> {
  const { environment, from, to, metric, requests: requestCount, json } = options;
  if (environment === undefined) throw new Error('Name the environment of the requests: --environment NAME.');
  const { id: configurationId, version } = parseVersion(options.configuration);
  const against = parseVersion(options.against ?? configurationId);
  if (against.id !== configurationId || against.version === 'draft')
    throw new Error(`--against must be a version of ${configurationId}, such as ${configurationId}@1.`);
  const answer = await connection.client(ConfigurationService).evaluatePolicy({
    ...{ environment, configurationId, from, to, metric, requestCount },
    ...(version === 'draft' ? { draft: await readDraft(options) } : { version }),
    againstVersion: against.version,
  });
  if (json) await printMessage(EvaluatePolicyResponseSchema, answer);
  else print(describePolicies(metric, answer));
}

/** Parses `id`, `id@7` and `id@draft`. */
function parseVersion(text: string): { id: string; version?: number | 'draft' } {
  const [, id, version] = /^(.+)@(\d+|draft)$/.exec(text) ?? [];
  if (id === undefined) return { id: text };
  return { id, version: version === 'draft' ? version : Number(version) };
}

async function readDraft({ draft }: Options) {
  if (draft === undefined) throw new Error('Name the file of the draft: --draft FILE.');
  return toMessage((await readConfiguration(draft)).document);
}
