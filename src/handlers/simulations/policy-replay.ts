/**
 * Replays explored lists with another configuration: with which probability would it have shown each
 * logged item at its explored position? Uses the history before the request, and present models.
 */

import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import { createListMaker } from '../../ranking/lists/list-maker.ts';
import type { List, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import type { ExploredListRecord, ExploredRecord } from '../recommendations/explored-record.ts';
import type { RewardLookup } from './list-rewards.ts';
import { tryLists } from './list-simulation.ts';

/** An explored position of a recorded list. */
export type ReplayedSlot = {
  /** Number of the list, from 0. */
  list: number;
  rank: number;
  /** Key of the shown item. */
  item: string;
  propensity: number;
  reward: number;
  /** For each policy: probability by key of item at this rank. */
  policies: ReadonlyMap<string, number>[];
};

export type Replay = {
  slots: ReplayedSlot[];
  listCount: number;
  /** Other positions of the lists, and those at which the last policy shows the logged item. */
  otherCount: number;
  sameCount: number;
  /** Most draws that estimated the propensities of a list. */
  drawCount: number;
};

export type ReplayOptions = {
  environment: ServingEnvironment;
  configurationId: string;
  records: readonly { request: RecommendationRequest; explored: ExploredRecord }[];
  policies: readonly ActiveConfiguration[];
  findConfiguration(configurationId: string): ActiveConfiguration | undefined;
  /** Reads the history up to a time. */
  readHistory(request: RecommendationRequest, atMs: number): Promise<ListIngredients['history']>;
  rewardOf: RewardLookup;
};

export async function replayPolicies(options: ReplayOptions): Promise<Replay> {
  const { environment, configurationId, records, policies, findConfiguration } = options;
  const makeLists = createListMaker();
  const replay: Replay = { slots: [], listCount: 0, otherCount: 0, sameCount: 0, drawCount: 0 };
  for (const { request, explored } of records) {
    const { requestId, atMs: nowMs } = explored;
    const history = await options.readHistory(request, nowMs);
    const setting = { request, environment, history, requestId, nowMs, withOdds: true };
    const made: (List[] | undefined)[] = [];
    for (const policy of policies) {
      const active = request.lists.map((list) =>
        list.configurationId === configurationId ? policy : findConfiguration(list.configurationId),
      );
      made.push(await tryLists(makeLists, setting, active));
      await nextTurn();
    }
    for (const logged of explored.lists)
      if (logged.configurationId === configurationId)
        addList(replay, logged, { made, policies, explored, request, rewardOf: options.rewardOf });
  }
  return replay;
}

type Made = Pick<ReplayOptions, 'policies' | 'rewardOf'> & {
  made: readonly (List[] | undefined)[];
  explored: ExploredRecord;
  request: RecommendationRequest;
};

function addList(
  replay: Replay,
  { place, items, ranks, drawn, draws }: ExploredListRecord,
  { made, policies, explored: { requestId }, request, rewardOf }: Made,
): void {
  const { listName } = request.lists[place];
  const lists = made.map((one) => one?.[place]);
  const propensityAt = new Map(drawn);
  const list = replay.listCount;
  replay.listCount += 1;
  replay.drawCount = Math.max(replay.drawCount, draws);
  items.forEach(([itemId, itemType], i) => {
    const rank = ranks?.[i] ?? i + 1;
    const item = keyOf({ itemType, itemId });
    const propensity = propensityAt.get(rank);
    const probabilities = lists.map((one, policy) => probabilitiesAt(rank, one, policies[policy]));
    if (propensity === undefined) {
      replay.otherCount += 1;
      if (probabilities.at(-1)!.has(item)) replay.sameCount += 1;
      return;
    }
    const reward = rewardOf(requestId, listName, itemId);
    replay.slots.push({ list, rank, item, propensity, reward, policies: probabilities });
  });
}

type Named = { itemId: string; itemType: string };

const keyOf = ({ itemType, itemId }: Named) => JSON.stringify([itemType, itemId]);

/** Returns the probability of each item at a rank: a share of the policy's lists is explored. */
function probabilitiesAt(
  rank: number,
  list: List | undefined,
  { settings: { exploration } }: ActiveConfiguration,
): Map<string, number> {
  const probabilities = new Map<string, number>();
  const slot = list?.explored?.slots.find((one) => one.rank === rank);
  if (!slot || !exploration) {
    const item = list?.items.find((one) => one.rank === rank);
    return item ? probabilities.set(keyOf(item), 1) : probabilities;
  }
  probabilities.set(keyOf(slot.composed), 1 - exploration.share);
  for (const { probability, ...name } of slot.odds!) {
    const key = keyOf(name);
    probabilities.set(key, (probabilities.get(key) ?? 0) + exploration.share * probability);
  }
  return probabilities;
}
