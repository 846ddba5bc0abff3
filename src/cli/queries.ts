/** `personalisation queries`: frequent queries, and queries without results. */

import type { Command } from 'commander';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { parseCount } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { readAll } from './connection/pages.ts';
import { type Cell, formatTable } from './output.ts';

type Options = EnvironmentOptions & { withoutResults?: boolean; limit: number };

export function registerQueries(program: Command): void {
  withConnection(program.command('queries'))
    .description('print recorded queries, the most frequent first')
    .requiredOption('--environment <name>', 'environment of the searches')
    .option('--without-results', 'only queries that found nothing')
    .option('--limit <count>', 'number of queries', parseCount, 50)
    .action(
      serviceAction(async (connection, { environment, withoutResults, limit }: Options) => {
        const service = connection.client(SearchService);
        const list = (pageToken: string) =>
          service.listSearchQueries({ environment, withoutResults, pageSize: limit, pageToken });
        const rows: Cell[][] = [];
        for await (const query of readAll('queries', list)) {
          rows.push([query.query, query.searches, query.withoutResults]);
          if (rows.length === limit) break;
        }
        process.stdout.write(formatTable(['query', 'searches', 'without results'], rows));
      }),
    );
}
