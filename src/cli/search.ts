/** `personalisation search`: asks the running service as a visitor would, and says why, for people who try it. */

import type { Command } from 'commander';
import {
  CreateSearchRequest,
  type CreateSearchResponse,
  SearchServiceClient,
} from '../../gen/grpc/personalisation/v1/search_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { describeSearch } from './explanation/describe-search.ts';
import { parseVariables } from './recommend.ts';

type Options = ConnectionOptions & {
  environment: string;
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
    .description('print what a query finds, and with --explain why in this order')
    .argument('<query>', 'what a visitor types; "" for the best items')
    .requiredOption('--environment <name>', 'environment to search')
    .option('--user <id>', 'user who searches')
    .option('--filter <field=value...>', 'only items with this value; several of one field: any of them')
    .option('--group-by <field...>', 'fields whose values split the results into lists')
    .option('--facet <field...>', 'count what is found by value; price=10,50 by range')
    .option('--pick <field=value...>', 'values picked of facets, which their own facet is counted without')
    .option('--order-by <field>', 'order by a field instead, or by "FIELD desc"')
    .option('--limit <count>', 'items of each list', Number, 10)
    .option('--no-autocorrect', 'search exactly what is typed')
    .option('--explain', 'print how the query was understood and what made each score')
    .option('--why-not <ids>', 'items whose absence to explain, separated by commas; at most 20')
    .action((query: string, options: Options) =>
      conclude(() => withConnected(options, (connection) => search(connection, query, options))),
    );
}

async function search(connection: Connection, query: string, options: Options): Promise<number> {
  process.stdout.write(`${describeSearch(await requestResults(connection, query, options))}\n`);
  return exitCodes.success;
}

/** With the device `anonymous`, under which nothing is kept. */
function requestResults(connection: Connection, q: string, options: Options): Promise<CreateSearchResponse> {
  const { environment, user, filter = [], groupBy, limit, autocorrect, explain, whyNot = '' } = options;
  const { facet = [], pick = [], orderBy } = options;
  const request = CreateSearchRequest.fromPartial({
    environment,
    explain,
    why_not: whyNot
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '')
      .map((item_id) => ({ item_id })),
    request: {
      q,
      device_id: 'anonymous',
      user_id: user,
      page_type: 'search',
      autocorrect,
      filter_by: parseVariables(filter, '--filter'),
      group_by: groupBy,
      facets: facet.map(parseFacet),
      facet_filters: parseVariables(pick, '--pick'),
      order_by: orderBy,
      limit,
    },
  });
  const service = connection.client(SearchServiceClient);
  return ask<CreateSearchResponse>((call, callback) =>
    service.createSearch(request, connection.metadata, call, callback),
  );
}

/** `brand`, or `price=10,50` with bounds between ranges. */
export function parseFacet(text: string): { key: string; ranges: number[] } {
  const [, key, bounds = ''] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  const ranges = bounds === '' ? [] : bounds.split(',').map(Number);
  if (key === undefined || ranges.some(Number.isNaN))
    throw new Error(`--facet ${text}: write it as a field, or as price=10,50.`);
  return { key, ranges };
}
