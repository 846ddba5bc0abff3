/** `personalisation recommend`: prints lists of the running service. */

import type { Command } from 'commander';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import type { RecommendedItem } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import {
  type CreateRecommendationsResponse,
  RecommendationService,
} from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { parseCount, parseVariables, splitList } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { joinParts, print } from './output.ts';

/** Options of a new list, of `recommend` and `explain`. */
export type ListOptions = EnvironmentOptions & {
  user?: string;
  device?: string;
  size: number;
  pageType: string;
  contextItem?: string;
  set?: string[];
};

type Options = ListOptions & { seen?: string; configuration: string; titles?: boolean };

/** A device without history. */
export const anonymousDevice = 'anonymous';

export function registerRecommend(program: Command): void {
  const command = withConnection(program.command('recommend'))
    .description('print recommendations')
    .requiredOption('--environment <name>', 'environment to recommend from')
    .requiredOption('--configuration <id>', 'configuration of the list')
    .option('--user <id>', 'users, separated by commas [a cold-start visitor]')
    .option('--device <id>', 'device, with or without a user [one without history]')
    .option('--seen <ids>', 'a history to try: items that the visitor has just seen, separated by commas')
    .option('--titles', 'look up the titles');
  withList(command).action(serviceAction(recommend));
}

export function withList(command: Command): Command {
  return command
    .option('--size <count>', 'number of items', parseCount, 10)
    .option('--page-type <type>', 'page the list is for', 'home')
    .option('--context-item <id>', 'item on display')
    .option('--set <name=value...>', 'variables of the configuration');
}

export function listRequestOf(configurationId: string, options: ListOptions) {
  const { size: listSize, pageType, contextItem, user: userId, set = [] } = options;
  return {
    deviceId: options.device ?? anonymousDevice,
    userId,
    pageType,
    contextItem,
    lists: [{ configurationId, listName: 'list', listSize }],
    variables: parseVariables(set),
  };
}

async function recommend(connection: Connection, options: Options): Promise<void> {
  const { environment, configuration, device, seen } = options;
  const service = connection.client(RecommendationService);
  const histories: Record<string, { items: { id: string }[] }> =
    seen === undefined ? {} : { seen: { items: splitList(seen).map((id) => ({ id })) } };
  for (const user of options.user === undefined ? [undefined] : splitList(options.user)) {
    const request = listRequestOf(configuration, { ...options, user });
    const answer = await service.createRecommendations({
      environment,
      request: { ...request, histories },
    });
    const titles = options.titles ? await findTitles(connection, environment, itemsOf(answer)) : [];
    print(describeList(user ?? device ?? 'a stranger', answer, titles));
  }
}

type NamedItem = { itemId: string; itemType: string };

/** Returns title and categories of each item, undefined for an item without a type. */
export function findTitles(
  connection: Connection,
  environment: string,
  items: readonly NamedItem[],
): Promise<(string | undefined)[]> {
  const service = connection.client(ItemService);
  return Promise.all(
    items.map(async ({ itemId, itemType }) => {
      if (itemType === '') return undefined;
      const { item } = await service.getItem({ environment, itemType, itemId });
      return joinParts([item?.title, item?.categories.join(', ')], ' · ');
    }),
  );
}

function itemsOf({ recommendations }: CreateRecommendationsResponse): RecommendedItem[] {
  return recommendations?.lists.flatMap(({ items }) => items) ?? [];
}

/** Returns a heading, a numbered line for each item, and the constraints that are not met. */
export function describeList(
  subject: string,
  answer: CreateRecommendationsResponse,
  titles: readonly (string | undefined)[],
): string {
  const { recommendations, outcomes } = answer;
  const lines = itemsOf(answer).map(({ rank, itemId, informationField, groupSize = 1 }, i) =>
    joinParts([
      `${String(rank).padStart(4)}.`,
      itemId,
      titles[i],
      informationField && `(${informationField})`,
      groupSize > 1 && `one of ${groupSize}`,
    ]),
  );
  const unmet = outcomes
    .flatMap(({ unmetMinimums }) => unmetMinimums)
    .map(
      ({ constraintIndex, wantedCount, foundCount }) =>
        `      rule ${constraintIndex + 1} wants ${wantedCount} items and found ${foundCount}`,
    );
  const heading = `${subject} (${recommendations?.userGroup}, version ${recommendations?.version})`;
  return [heading, ...(lines.length > 0 ? lines : ['      no items']), ...unmet].join('\n');
}
