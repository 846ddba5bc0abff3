/**
 * Replays explored lists with another configuration: with which probability would it have shown each
 * logged item at its explored position? Uses the history before the request, and present models.
 */

import { crossFit, type RewardModel, type Shown } from '../../jobs/evaluation/policy/click-model.ts';
import type { Decision } from '../../jobs/evaluation/policy/off-policy.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import { createListMaker } from '../../ranking/lists/list-maker.ts';
import type { List, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import type { ExploredListRecord, ExploredRecord } from '../recommendations/explored-record.ts';
import type { RewardLookup } from './list-rewards.ts';
import { tryLists } from './list-simulation.ts';

export type Replay = {
  /** The explored positions, list by list. */
  slots: Shown[];
  /** By policy: a decision of each slot. */
  decisions: Decision[][];
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
  readHistory(request: RecommendationRequest, atMs: number): Promise<ListIngredients['history']>;
  rewardOf: RewardLookup;
};

export async function replayPolicies(options: ReplayOptions): Promise<Replay> {
  const { environment, configurationId, policies, findConfiguration } = options;
  const makeLists = createListMaker();
  const logged = loggedLists(options);
  const slots = logged.flatMap((one) => one.slots);
  const modelOf = crossFit(slots);
  const decisions: Decision[][] = policies.map(() => []);
  const replay: Replay = {
    slots,
    decisions,
    listCount: logged.length,
    otherCount: 0,
    sameCount: 0,
    drawCount: 0,
  };
  for (const [list, one] of logged.entries()) {
    const { request, explored } = one.record;
    const { requestId, atMs: nowMs } = explored;
    const history = await options.readHistory(request, nowMs);
    const setting = { request, environment, history, requestId, nowMs, withOdds: true };
    for (const [index, policy] of policies.entries()) {
      const active = request.lists.map((asked) =>
        asked.configurationId === configurationId ? policy : findConfiguration(asked.configurationId),
      );
      const made = (await tryLists(makeLists, setting, active))?.[one.list.place];
      decisions[index].push(...decide(one, made, policy, modelOf(list)));
      if (index === policies.length - 1) countOthers(replay, one, made);
      await nextTurn();
    }
  }
  return replay;
}

type Logged = {
  record: ReplayOptions['records'][number];
  list: ExploredListRecord;
  slots: Shown[];
  /** Rank and key of each item that was not drawn. */
  others: [rank: number, item: string][];
};

/** Returns the lists of the configuration, numbered, with the rewards of their drawn items. */
function loggedLists({ records, configurationId, rewardOf }: ReplayOptions): Logged[] {
  const logged: Logged[] = [];
  for (const record of records)
    for (const list of record.explored.lists) {
      if (list.configurationId !== configurationId) continue;
      const propensityAt = new Map(list.drawn);
      const { listName } = record.request.lists[list.place];
      const one: Logged = { record, list, slots: [], others: [] };
      list.items.forEach(([itemId, itemType], i) => {
        const rank = list.ranks?.[i] ?? i + 1;
        const item = keyOf({ itemType, itemId });
        const propensity = propensityAt.get(rank);
        if (propensity === undefined) one.others.push([rank, item]);
        else {
          const reward = rewardOf(record.explored.requestId, listName, itemId);
          one.slots.push({ list: logged.length, rank, item, propensity, reward });
        }
      });
      logged.push(one);
    }
  return logged;
}

/** Returns the weights of a policy and the predictions of the click model. */
function decide(
  { slots }: Logged,
  made: List | undefined,
  policy: ActiveConfiguration,
  model: RewardModel,
): Decision[] {
  return slots.map(({ list, rank, item, propensity, reward }) => {
    const probabilities = probabilitiesAt(rank, made, policy);
    let policyPrediction = 0;
    for (const [one, probability] of probabilities) policyPrediction += probability * model(one, rank);
    const weight = (probabilities.get(item) ?? 0) / propensity;
    return { list, weight, reward, policyPrediction, loggedPrediction: model(item, rank) };
  });
}

function countOthers(replay: Replay, { list, others }: Logged, made: List | undefined): void {
  replay.drawCount = Math.max(replay.drawCount, list.draws);
  const shownAt = new Map(made?.items.map((item) => [item.rank, keyOf(item)]));
  replay.otherCount += others.length;
  replay.sameCount += others.filter(([rank, item]) => shownAt.get(rank) === item).length;
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
