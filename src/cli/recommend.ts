/** `personalisation recommend`: asks the running service, for people who try it. */

import type { Command } from 'commander';
import type { RecommendedItem } from '../../gen/grpc/personalisation/v1/recommendation.ts';
import {
  CreateRecommendationsRequest,
  type CreateRecommendationsResponse,
  RecommendationServiceClient,
} from '../../gen/grpc/personalisation/v1/recommendation_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { findTitles } from './connection/item-titles.ts';
import { type ConnectionOptions, parseCount, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';

type Options = ConnectionOptions & {
  environment: string;
  user?: string;
  device?: string;
  seen?: string;
  configuration: string;
  size: number;
  pageType: string;
  contextItem?: string;
  set?: string[];
  titles?: boolean;
};

const listName = 'list';

export function registerRecommend(program: Command): void {
  withConnection(program.command('recommend'))
    .description('print recommendations for people')
    .requiredOption('--environment <name>', 'environment to recommend from')
    .requiredOption('--configuration <id>', 'configuration of the list')
    .option('--user <id>', 'user; several are separated by commas [a stranger]')
    .option('--device <id>', 'device, with or without a user [one that nothing is kept under]')
    .option('--seen <ids>', 'a history to try: items that the visitor has just seen, separated by commas')
    .option('--size <count>', 'number of items', parseCount, 10)
    .option('--page-type <type>', 'page the list is for', 'home')
    .option('--context-item <id>', 'item on display')
    .option('--set <name=value...>', 'variables of the configuration')
    .option('--titles', 'look up the titles')
    .action((options: Options) => conclude(() => withConnected(options, (it) => recommend(it, options))));
}

async function recommend(connection: Connection, options: Options): Promise<number> {
  const users = options.user === undefined ? [undefined] : splitList(options.user);
  for (const user of users) {
    const answer = await requestList(connection, user, options);
    const titles = options.titles ? await findTitles(connection, options.environment, itemsOf(answer)) : [];
    const who = user ?? options.device ?? 'a stranger';
    process.stdout.write(`${describeList(who, answer, titles)}\n`);
  }
  return exitCodes.success;
}

function splitList(ids: string): string[] {
  return ids.split(',').map((id) => id.trim());
}

/** Under the device `anonymous`, unless one is named, nothing is kept. */
function requestList(connection: Connection, user: string | undefined, options: Options) {
  const {
    environment,
    configuration,
    device = 'anonymous',
    seen,
    size,
    pageType,
    contextItem,
    set,
  } = options;
  const request = CreateRecommendationsRequest.fromPartial({
    environment,
    request: {
      device_id: device,
      user_id: user,
      page_type: pageType,
      context_item: contextItem,
      histories: seen === undefined ? {} : { seen: { items: splitList(seen).map((id) => ({ id })) } },
      lists: [{ configuration_id: configuration, list_name: listName, list_size: size }],
      variables: parseVariables(set ?? []),
    },
  });
  const service = connection.client(RecommendationServiceClient);
  return ask<CreateRecommendationsResponse>((call, callback) =>
    service.createRecommendations(request, connection.metadata, call, callback),
  );
}

/** As JSON writes it: 007 is an id. */
const numberPattern = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** A number with more digits than a number holds is an id too. */
function readValue(text: string): unknown {
  const isNumber = numberPattern.test(text) && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;
  return isNumber || text === 'true' || text === 'false' ? JSON.parse(text) : text;
}

/**
 * `name=value`; several of one name are an array, and numbers and booleans are what they look like.
 *
 * @param texts Names whose values are text, whatever they look like.
 */
export function parseVariables(
  assignments: readonly string[],
  option = '--set',
  texts: ReadonlySet<string> = new Set(),
): Record<string, unknown> | undefined {
  const variables: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (name === undefined) throw new Error(`${option} ${assignment}: write it as name=value.`);
    const value = texts.has(name) ? text : readValue(text);
    variables[name] = Object.hasOwn(variables, name) ? [variables[name], value].flat() : value;
  }
  return assignments.length > 0 ? variables : undefined;
}

function itemsOf({ recommendations }: CreateRecommendationsResponse): RecommendedItem[] {
  return recommendations?.lists.flatMap(({ items }) => items) ?? [];
}

/** A heading, a numbered line per item, and what the rules could not meet. */
export function describeList(
  user: string,
  answer: CreateRecommendationsResponse,
  titles: readonly (string | undefined)[],
): string {
  const { recommendations, outcomes } = answer;
  const lines = itemsOf(answer).map(({ rank, item_id, information_field, group_size = 1 }, i) =>
    [
      `${String(rank).padStart(4)}.`,
      item_id,
      titles[i],
      information_field && `(${information_field})`,
      group_size > 1 && `one of ${group_size}`,
    ]
      .filter((part) => part)
      .join('  '),
  );
  const unmet = outcomes
    .flatMap(({ unmet_minimums }) => unmet_minimums)
    .map(
      ({ constraint_index, wanted_count, found_count }) =>
        `      rule ${constraint_index + 1} wants ${wanted_count} items and found ${found_count}`,
    );
  const heading = `${user} (${recommendations?.user_group}, version ${recommendations?.version})`;
  return [heading, ...(lines.length > 0 ? lines : ['      no items']), ...unmet].join('\n');
}
