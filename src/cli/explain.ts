/** `personalisation explain`: why a list is as it is, and why an item is not in it, for the people who write rules. */

import type { Command } from 'commander';
import {
  CreateRecommendationsRequest,
  type CreateRecommendationsResponse,
  RecommendationServiceClient,
} from '../../gen/grpc/personalisation/v1/recommendation_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { findTitles } from './connection/item-titles.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { describeExplanation } from './explanation/describe.ts';
import { parseVariables } from './recommend.ts';

type Options = ConnectionOptions & {
  environment: string;
  user: string;
  configuration: string;
  size: number;
  pageType: string;
  contextItem?: string;
  set?: string[];
  whyNot?: string;
};

export function registerExplain(program: Command): void {
  withConnection(program.command('explain'))
    .description('print a list with the rules, preferences and models that made it')
    .requiredOption('--environment <name>', 'environment to recommend from')
    .requiredOption('--user <id>', 'user whom the list is for')
    .requiredOption('--configuration <id>', 'configuration of the list')
    .option('--size <count>', 'number of items', Number, 10)
    .option('--page-type <type>', 'page the list is for', 'home')
    .option('--context-item <id>', 'item on display')
    .option('--set <name=value...>', 'variables of the configuration')
    .option('--why-not <ids>', 'items whose absence to explain, separated by commas; at most 20')
    .action((options: Options) => conclude(() => withConnected(options, (it) => explain(it, options))));
}

async function explain(connection: Connection, options: Options): Promise<number> {
  const answer = await requestExplained(connection, options);
  const [explanation] = answer.explanations;
  const titles = await findTitles(connection, options.environment, explanation.items);
  process.stdout.write(`${describeExplanation(explanation, answer.outcomes[0], titles)}\n`);
  return exitCodes.success;
}

/** With the device `anonymous`, under which nothing is kept. */
function requestExplained(connection: Connection, options: Options): Promise<CreateRecommendationsResponse> {
  const { environment, configuration, size, pageType, contextItem, user, set = [], whyNot = '' } = options;
  const request = CreateRecommendationsRequest.fromPartial({
    environment,
    explain: true,
    why_not: idsOf(whyNot).map((item_id) => ({ item_id })),
    request: {
      device_id: 'anonymous',
      user_id: user,
      page_type: pageType,
      context_item: contextItem,
      lists: [{ configuration_id: configuration, list_name: 'list', list_size: size }],
      variables: parseVariables(set),
    },
  });
  const service = connection.client(RecommendationServiceClient);
  return ask<CreateRecommendationsResponse>((call, callback) =>
    service.createRecommendations(request, connection.metadata, call, callback),
  );
}

function idsOf(list: string): string[] {
  return list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
