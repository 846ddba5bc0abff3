/** `personalisation search`: sends a query to the running service, and explains the results. */

import type { Command } from 'commander';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { parseVariables, splitList } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { describeSearch } from './explanation/describe-search.ts';
import { print } from './output.ts';
import { anonymousDevice } from './recommend.ts';

type Options = EnvironmentOptions & {
  user?: string;
  filter?: string[];
  groupBy?: string[];
  facet?: string[];
  pick?: string[];
  orderBy?: string;
  limit: number;
  autocorrect: boolean;
  explain?: boolean;
  whyNot?: string;
};

export function registerSearch(program: Command): void {
  withConnection(program.command('search'))
    .description('print the results of a query, and with --explain the reasons for their order')
    .argument('<query>', 'text of the query; "" for the best items')
    .requiredOption('--environment <name>', 'environment to search')
    .option('--user <id>', 'user of the search')
    .option('--filter <field=value...>', 'only items with this value; several of one field: any of them')
    .option('--group-by <field...>', 'fields that split the results into lists by value')
    .option('--facet <field...>', 'count the results by value; price=10,50 by range')
    .option('--pick <field=value...>', 'picked values of facets; a facet is counted without its own')
    .option('--order-by <field>', 'order by a field, or by "FIELD desc"')
    .option('--limit <count>', 'items of each list', Number, 10)
    .option('--no-autocorrect', 'search exactly the given words')
    .option('--explain', 'print how the query was understood, and the parts of each score')
    .option('--why-not <ids>', 'absent items to explain, separated by commas; at most 20')
    .action(serviceAction(search));
}

async function search(connection: Connection, q: string, options: Options): Promise<void> {
  const { environment, user, filter = [], groupBy, limit, autocorrect, explain, whyNot = '' } = options;
  const { facet = [], pick = [], orderBy } = options;
  const answer = await connection.client(SearchService).createSearch({
    environment,
    explain,
    whyNot: splitList(whyNot).map((itemId) => ({ itemId })),
    request: {
      q,
      deviceId: anonymousDevice,
      userId: user,
      pageType: 'search',
      autocorrect,
      filterBy: parseVariables(filter, '--filter'),
      groupBy,
      facets: facet.map(parseFacet),
      facetFilters: parseVariables(pick, '--pick'),
      orderBy,
      limit,
    },
  });
  print(describeSearch(answer));
}

/** Reads `brand`, or `price=10,50` with the bounds between ranges. */
export function parseFacet(text: string): { key: string; ranges: number[] } {
  const [, key, bounds = ''] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  const ranges = bounds === '' ? [] : bounds.split(',').map(Number);
  if (key === undefined || ranges.some(Number.isNaN))
    throw new Error(`--facet ${text}: write it as a field, or as price=10,50.`);
  return { key, ranges };
}
