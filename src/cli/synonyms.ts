/** `personalisation synonyms …`: words that searches treat as equal, and a trial of a new synonym. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import type { SynonymSchema } from '../../gen/es/personalisation/v1/synonym_pb.js';
import {
  SynonymService,
  type TriedHit,
  type TrySynonymResponse,
} from '../../gen/es/personalisation/v1/synonym_service_pb.js';
import { parseCount, splitList } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { readAll } from './connection/pages.ts';
import { formatTable, print } from './output.ts';

type Options = EnvironmentOptions;
type Rule = { words?: string; from?: string; to?: string };
type TryOptions = Options & Rule & { id?: string; queries?: number; limit?: number };

export function registerSynonyms(program: Command): void {
  const command = program
    .command('synonyms')
    .description('words that searches treat as equal; try them on recorded queries');
  const inEnvironment = (name: string) =>
    withConnection(command.command(name)).requiredOption(
      '--environment <name>',
      'environment of the searches',
    );
  inEnvironment('list')
    .description('print the stored synonyms, without those of the deployment file')
    .action(serviceAction(listSynonyms));
  withRule(inEnvironment('try'))
    .description('print the recorded queries that would find something else')
    .option('--id <id>', 'synonym that it would replace')
    .option('--queries <count>', 'most queries to try: without results, and of all others', parseCount)
    .option('--limit <count>', 'first results of each query', parseCount)
    .action(serviceAction(trySynonym));
  withRule(inEnvironment('put').argument('<id>'))
    .description('store a synonym, replacing one with the same ID')
    .action(
      serviceAction(async (connection, synonymId: string, options: Options & Rule) => {
        const request = {
          environment: options.environment,
          synonymId,
          synonym: synonymOf(options, synonymId),
        };
        await connection.client(SynonymService).putSynonym(request);
        print(`${synonymId} is stored.`);
      }),
    );
  inEnvironment('delete')
    .argument('<id>')
    .description('delete a synonym')
    .action(
      serviceAction(async (connection, synonymId: string, { environment }: Options) => {
        await connection.client(SynonymService).deleteSynonym({ environment, synonymId });
        print(`${synonymId} is deleted.`);
      }),
    );
}

function withRule(command: Command): Command {
  return command
    .option('--words <list>', 'words or phrases that are equal, separated by commas')
    .option('--from <list>', 'words of the query, separated by commas')
    .option('--to <list>', 'words that they also find, separated by commas');
}

function synonymOf(
  { words = '', from = '', to = '' }: Rule,
  synonymId?: string,
): MessageInitShape<typeof SynonymSchema> {
  return { synonymId, words: splitList(words), from: splitList(from), to: splitList(to) };
}

async function listSynonyms(connection: Connection, { environment }: Options): Promise<void> {
  const service = connection.client(SynonymService);
  const list = (pageToken: string) => service.listSynonyms({ environment, pageSize: 1_000, pageToken });
  const rows: string[][] = [];
  for await (const { synonymId = '', words, from, to } of readAll('synonyms', list))
    rows.push([synonymId, words.length > 0 ? words.join(' = ') : `${from.join(', ')} → ${to.join(', ')}`]);
  process.stdout.write(formatTable(['synonym', 'says'], rows));
}

async function trySynonym(connection: Connection, options: TryOptions): Promise<void> {
  const { environment, id, queries: queryCount, limit } = options;
  const request = { environment, synonym: synonymOf(options, id), queryCount, limit };
  print(describeTrial(await connection.client(SynonymService).trySynonym(request)));
}

export function describeTrial({ queryCount, changedCount, foundCount, queries }: TrySynonymResponse): string {
  const lines = queries.flatMap(({ query, searches, before, after }) => [
    '',
    `${query}  (${searches} searches)`,
    `  now   ${describeHits(before)}`,
    `  then  ${describeHits(after)}`,
  ]);
  const more = changedCount - queries.length;
  return [
    `${foundCount} queries without results would find something.`,
    `${changedCount} of ${queryCount} queries would change.`,
    ...lines,
    ...(more > 0 ? ['', `${more} more.`] : []),
  ].join('\n');
}

function describeHits(hits: readonly TriedHit[]): string {
  return hits.length === 0 ? 'nothing' : hits.map(({ itemId, title }) => title || itemId).join(' · ');
}
