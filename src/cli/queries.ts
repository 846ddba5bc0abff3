/** `personalisation queries`: what is searched for, and what finds nothing. */

import type { Command } from 'commander';
import {
  type ListSearchQueriesResponse,
  SearchServiceClient,
} from '../../gen/grpc/personalisation/v1/search_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, parseCount, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { readPages } from './connection/pages.ts';
import { formatTable } from './table.ts';

type Options = ConnectionOptions & { environment: string; withoutResults?: boolean; limit: number };

export function registerQueries(program: Command): void {
  withConnection(program.command('queries'))
    .description('print what is searched for, the most frequent first')
    .requiredOption('--environment <name>', 'environment of the searches')
    .option('--without-results', 'only queries that found nothing')
    .option('--limit <count>', 'how many', parseCount, 50)
    .action((options: Options) =>
      conclude(() => withConnected(options, (connection) => listQueries(connection, options))),
    );
}

async function listQueries(connection: Connection, options: Options): Promise<number> {
  const { environment, withoutResults: without_results = false, limit } = options;
  const service = connection.client(SearchServiceClient);
  const pages = readPages((page_token) =>
    ask<ListSearchQueriesResponse>((call, callback) =>
      service.listSearchQueries(
        { environment, without_results, page_size: limit, page_token },
        connection.metadata,
        call,
        callback,
      ),
    ),
  );
  const rows: (string | number)[][] = [];
  for await (const { queries } of pages) {
    for (const { query, searches, without_results } of queries) rows.push([query, searches, without_results]);
    if (rows.length >= limit) break;
  }
  process.stdout.write(formatTable(['query', 'searches', 'without results'], rows.slice(0, limit)));
  return exitCodes.success;
}
