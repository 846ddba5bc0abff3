/** `personalisation explain`: why a list is as it is, and why an item is not in it, for the people who write rules. */

import type { Command } from 'commander';
import {
  CreateRecommendationsRequest,
  type CreateRecommendationsResponse,
  type ExplainRecommendationsResponse,
  RecommendationServiceClient,
} from '../../gen/grpc/personalisation/v1/recommendation_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { findTitles } from './connection/item-titles.ts';
import { type ConnectionOptions, parseCount, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { describeExplanation } from './explanation/describe.ts';
import { parseVariables } from './recommend.ts';

type Options = ConnectionOptions & {
  environment: string;
  requestId?: string;
  user?: string;
  configuration?: string;
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
    .option('--request-id <id>', 'an answer given before, instead of a new list')
    .option('--user <id>', 'user whom a new list is for')
    .option('--configuration <id>', 'configuration of a new list')
    .option('--size <count>', 'number of items', parseCount, 10)
    .option('--page-type <type>', 'page the list is for', 'home')
    .option('--context-item <id>', 'item on display')
    .option('--set <name=value...>', 'variables of the configuration')
    .option('--why-not <ids>', 'items whose absence to explain, separated by commas; at most 20')
    .action((options: Options) => conclude(() => withConnected(options, (it) => explain(it, options))));
}

async function explain(connection: Connection, options: Options): Promise<number> {
  const { explanations, outcomes } = await answerTo(connection, options);
  for (const [i, explanation] of explanations.entries()) {
    const titles = await findTitles(connection, options.environment, explanation.items);
    const heading = explanations.length > 1 ? `${explanation.list_name}\n\n` : '';
    process.stdout.write(`${heading}${describeExplanation(explanation, outcomes[i], titles)}\n`);
  }
  return exitCodes.success;
}

async function answerTo(connection: Connection, options: Options): Promise<Explained> {
  if (options.requestId !== undefined) return explainAfterwards(connection, options, options.requestId);
  const { user, configuration } = options;
  if (user === undefined || configuration === undefined)
    throw new Error('Give --request-id, or --user and --configuration.');
  return requestExplained(connection, { ...options, user, configuration });
}

type Explained = Pick<ExplainRecommendationsResponse, 'explanations' | 'outcomes'>;

async function explainAfterwards(
  connection: Connection,
  { environment, whyNot = '' }: Options,
  request_id: string,
): Promise<Explained> {
  const service = connection.client(RecommendationServiceClient);
  const request = { environment, request_id, why_not: idsOf(whyNot).map((item_id) => ({ item_id })) };
  const answer = await ask<ExplainRecommendationsResponse>((call, callback) =>
    service.explainRecommendations(request, connection.metadata, call, callback),
  );
  if (!answer.is_exact)
    process.stderr.write(
      'What made these lists is not held any more; they were made again with what is known now.\n',
    );
  return answer;
}

/** With the device `anonymous`, under which nothing is kept. */
function requestExplained(
  connection: Connection,
  options: Options & { user: string; configuration: string },
): Promise<CreateRecommendationsResponse> {
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
