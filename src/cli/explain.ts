/** `personalisation explain`: why a list has its items, and why other items are absent. */

import type { Command } from 'commander';
import {
  type ExplainRecommendationsResponse,
  RecommendationService,
} from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { splitList } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { withConnection } from './connection/options.ts';
import { describeExplanation } from './explanation/describe-explanation.ts';
import { print, printNote } from './output.ts';
import { findTitles, type ListOptions, listRequestOf, withList } from './recommend.ts';

type Options = ListOptions & { requestId?: string; configuration?: string; whyNot?: string };

export function registerExplain(program: Command): void {
  const command = withConnection(program.command('explain'))
    .description('print a list with the rules, preferences and models that made it')
    .requiredOption('--environment <name>', 'environment to recommend from')
    .option('--request-id <id>', 'an earlier answer, instead of a new list')
    .option('--user <id>', 'user of a new list')
    .option('--device <id>', 'device of a new list, with or without a user')
    .option('--configuration <id>', 'configuration of a new list');
  withList(command)
    .option('--why-not <ids>', 'absent items to explain, separated by commas; at most 20')
    .action(serviceAction(explain));
}

async function explain(connection: Connection, options: Options): Promise<void> {
  const { explanations, outcomes } = await requestExplanations(connection, options);
  for (const [i, explanation] of explanations.entries()) {
    const titles = await findTitles(connection, options.environment, explanation.items);
    const heading = explanations.length > 1 ? `${explanation.listName}\n\n` : '';
    print(`${heading}${describeExplanation(explanation, outcomes[i], titles)}`);
  }
}

type Explained = Pick<ExplainRecommendationsResponse, 'explanations' | 'outcomes'>;

async function requestExplanations(connection: Connection, options: Options): Promise<Explained> {
  const { environment, requestId, user, device, configuration } = options;
  const service = connection.client(RecommendationService);
  const whyNot = splitList(options.whyNot ?? '').map((itemId) => ({ itemId }));
  if (requestId === undefined) {
    if ((user ?? device) === undefined || configuration === undefined)
      throw new Error('Give --request-id, or --configuration and --user or --device.');
    const request = listRequestOf(configuration, options);
    return service.createRecommendations({ environment, explain: true, whyNot, request });
  }
  const answer = await service.explainRecommendations({ environment, requestId, whyNot });
  if (!answer.isExact)
    printNote(
      'The state that made these lists is no longer stored; they were made again with the current state.',
    );
  return answer;
}
