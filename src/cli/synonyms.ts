/** `personalisation synonyms …`: what searches take for one another, and what a new synonym would change. */

import type { Command } from 'commander';
import type { Synonym } from '../../gen/grpc/personalisation/v1/synonym.ts';
import {
  type ListSynonymsResponse,
  SynonymServiceClient,
  type TriedHit,
  type TrySynonymResponse,
} from '../../gen/grpc/personalisation/v1/synonym_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, parseCount, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { readPages } from './connection/pages.ts';
import { formatTable } from './table.ts';

type Options = ConnectionOptions & { environment: string };
type Rule = { words?: string; from?: string; to?: string };
type TryOptions = Options & Rule & { id?: string; queries?: number; limit?: number };

type Service = InstanceType<typeof SynonymServiceClient>;

export function registerSynonyms(program: Command): void {
  const command = program
    .command('synonyms')
    .description('words that searches take for one another; try them on what was searched');
  const inEnvironment = (name: string) =>
    withConnection(command.command(name)).requiredOption(
      '--environment <name>',
      'environment of the searches',
    );
  inEnvironment('list')
    .description('print the synonyms that were set; those of the deployment file are not among them')
    .action((options: Options) => run(options, list));
  withRule(inEnvironment('try'))
    .description('print which queries of people would find something else')
    .option('--id <id>', 'synonym that it would replace')
    .option(
      '--queries <count>',
      'most queries to try of those that found nothing, and of all others',
      parseCount,
    )
    .option('--limit <count>', 'first results of each query', parseCount)
    .action((options: TryOptions) => run(options, tryOut));
  withRule(inEnvironment('put').argument('<id>'))
    .description('store a synonym, replacing one of the same id')
    .action((id: string, options: Options & Rule) =>
      run(options, async (connection) => {
        const request = { environment: options.environment, synonym_id: id, synonym: synonymOf(options, id) };
        const service = connection.client(SynonymServiceClient);
        await ask((call, done) => service.putSynonym(request, connection.metadata, call, done));
        print(`${id} is stored.`);
      }),
    );
  inEnvironment('delete')
    .argument('<id>')
    .description('delete a synonym')
    .action((id: string, options: Options) =>
      run(options, async (connection) => {
        const request = { environment: options.environment, synonym_id: id };
        const service = connection.client(SynonymServiceClient);
        await ask((call, done) => service.deleteSynonym(request, connection.metadata, call, done));
        print(`${id} is deleted.`);
      }),
    );
}

function withRule(command: Command): Command {
  return command
    .option('--words <list>', 'words or phrases that stand for each other, separated by commas')
    .option('--from <list>', 'what is typed, separated by commas')
    .option('--to <list>', 'what it also finds, separated by commas');
}

function run<O extends Options>(
  options: O,
  work: (connection: Connection, options: O) => Promise<void>,
): Promise<void> {
  return conclude(() =>
    withConnected(options, async (connection) => {
      await work(connection, options);
      return exitCodes.success;
    }),
  );
}

function synonymOf({ words, from, to }: Rule, synonym_id?: string): Synonym {
  const read = (text = '') =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  return {
    synonym_id,
    words: read(words),
    from: read(from),
    to: read(to),
    revision: 0,
    update_time: undefined,
  };
}

async function list(connection: Connection, { environment }: Options): Promise<void> {
  const service: Service = connection.client(SynonymServiceClient);
  const pages = readPages((page_token) =>
    ask<ListSynonymsResponse>((call, done) =>
      service.listSynonyms({ environment, page_size: 1_000, page_token }, connection.metadata, call, done),
    ),
  );
  const rows: string[][] = [];
  for await (const { synonyms } of pages)
    for (const { synonym_id = '', words, from, to } of synonyms)
      rows.push([synonym_id, words.length > 0 ? words.join(' = ') : `${from.join(', ')} → ${to.join(', ')}`]);
  process.stdout.write(formatTable(['synonym', 'says'], rows));
}

async function tryOut(connection: Connection, options: TryOptions): Promise<void> {
  const { environment, id, queries: query_count, limit } = options;
  const service: Service = connection.client(SynonymServiceClient);
  const request = { environment, synonym: synonymOf(options, id), query_count, limit };
  const answer = await ask<TrySynonymResponse>((call, done) =>
    service.trySynonym(request, connection.metadata, call, done),
  );
  print(describeTrial(answer));
}

/** What a trial says, for people. */
export function describeTrial({
  query_count,
  changed_count,
  found_count,
  queries,
}: TrySynonymResponse): string {
  const told = queries.flatMap(({ query, searches, before, after }) => [
    '',
    `${query}  (${searches} searches)`,
    `  now   ${describeHits(before)}`,
    `  then  ${describeHits(after)}`,
  ]);
  const more = changed_count - queries.length;
  return [
    `${found_count} queries without results would find something.`,
    `${changed_count} of ${query_count} queries would change.`,
    ...told,
    ...(more > 0 ? ['', `${more} more.`] : []),
  ].join('\n');
}

function describeHits(hits: readonly TriedHit[]): string {
  return hits.length === 0 ? 'nothing' : hits.map(({ item_id, title }) => title || item_id).join(' · ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
