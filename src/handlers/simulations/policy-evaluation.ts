/**
 * Estimates what a configuration would have earned at the explored positions of recorded lists,
 * beside another version. Bounded by the number of requests; other requests run in between.
 */

import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  EvaluatePolicyRequest,
  EvaluatePolicyResponseSchema,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Violation } from '../../errors.ts';
import { positionBias } from '../../jobs/evaluation/policy/click-model.ts';
import {
  type Evaluation,
  evaluatePolicy,
  leastEffectiveSample,
} from '../../jobs/evaluation/policy/off-policy.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import type { RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import { parseFullMoment } from '../../ranking/runtime/instants.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import { findHistories } from '../../repository/events/histories.ts';
import { listExploredRequests } from '../../repository/kept/recorded-requests.ts';
import { refuse } from '../chain/refuse.ts';
import type { ExploredRecord } from '../recommendations/explored-record.ts';
import { partOf } from '../recommendations/gather-ingredients.ts';
import { findRewards, type RewardMetric } from './list-rewards.ts';
import { replayPolicies } from './policy-replay.ts';
import { readRequest } from './recorded-request.ts';
import type { SimulationsOptions } from './simulations.ts';

const defaultRequestCount = 2_000;
const dayMs = 86_400_000;
const defaultDays = 30;

/** Share of explored lists that the advice names besides the present one. */
const advisedShare = 0.5;

export type PolicyQuestion = {
  environment: string;
  configurationId: string;
  /** Versions to evaluate and to compare with; 0 for a draft. */
  policy: ActiveConfiguration;
  against: ActiveConfiguration;
  fromMs: number;
  toMs: number;
  metric: RewardMetric;
  requestCount: number;
};

/** @throws BODY_INVALID for a malformed or empty period */
export function readQuestion(
  { environment, configurationId, metric, requestCount, ...period }: EvaluatePolicyRequest,
  sides: Pick<PolicyQuestion, 'policy' | 'against'>,
  nowMs: number,
): PolicyQuestion {
  const violations: Violation[] = [];
  const read = (name: 'from' | 'to', usual: number): number => {
    const given = period[name];
    const moment = given === undefined ? usual : parseFullMoment(given);
    if (moment === undefined)
      violations.push({ pointer: `/${name}`, detail: 'Must be RFC 3339 with an offset.' });
    return moment ?? usual;
  };
  const toMs = read('to', nowMs);
  const fromMs = read('from', toMs - defaultDays * dayMs);
  if (fromMs >= toMs) violations.push({ pointer: '/to', detail: 'Must be after from.' });
  refuse(violations);
  const limits = { fromMs, toMs, requestCount: requestCount ?? defaultRequestCount };
  return { environment, configurationId, metric: metric as RewardMetric, ...sides, ...limits };
}

export async function estimatePolicies(
  question: PolicyQuestion,
  options: SimulationsOptions,
): Promise<MessageInitShape<typeof EvaluatePolicyResponseSchema>> {
  const { environment, configurationId, policy, against, fromMs, toMs, metric } = question;
  const { db, environments, replica, recorder } = options;
  const serving = environments.get(environment)!;
  await recorder.flush();
  const period = { from: new Date(fromMs), to: new Date(toMs) };
  const asked = { environment, configurationId, ...period, limit: question.requestCount };
  const records = (await listExploredRequests(db, asked)).flatMap(({ request, explored }) =>
    readRequest(serving, request).map((one) => ({ request: one, explored: explored as ExploredRecord })),
  );
  const rewardOf = await findRewards(db, {
    ...{ environment, metric, since: period.from },
    requestIds: records.map(({ explored }) => explored.requestId),
    attributionWindowMs: serving.settings.attributionWindowHours * 3_600_000,
  });
  const replay = await replayPolicies({
    ...{ environment: serving, configurationId, records, policies: [policy, against], rewardOf },
    findConfiguration: (id) => replica.find(id, serving.settings.name),
    readHistory: (request, atMs) => readEarlierHistory(serving, request, atMs, options),
  });
  const evaluated = evaluatePolicy(replay.decisions[0]);
  await nextTurn();
  const compared = evaluatePolicy(replay.decisions[1]);
  const { slots, otherCount, sameCount, listCount, drawCount } = replay;
  return {
    ...{ listCount, drawCount, decisionCount: slots.length },
    loggedValue: slots.reduce((sum, { reward }) => sum + reward / slots.length, 0),
    policy: estimateMessage(evaluated, policy),
    against: estimateMessage(compared, against),
    positions: Array.from(positionBias(slots), ([rank, effect]) => ({ rank, effect })).sort(
      (a, b) => a.rank - b.rank,
    ),
    replayedShare: otherCount === 0 ? 1 : sameCount / otherCount,
    refusal: refusalOf(
      [evaluated, compared],
      records.map(({ explored }) => explored.atMs),
      against,
    ),
  };
}

/** Reads the history as of an earlier request, so that it does not contain the outcome. */
async function readEarlierHistory(
  { settings: { name: environment } }: ServingEnvironment,
  { deviceId, userId }: RecommendationRequest,
  atMs: number,
  { db, pending }: SimulationsOptions,
): Promise<ListIngredients['history']> {
  const lookup = { environment, deviceId, userId, withImpressions: true };
  const [history] = await findHistories(db, [lookup], pending);
  /** Histories have whole seconds. */
  const atSeconds = Math.floor(atMs / 1000);
  return partOf(history, (seconds) => seconds < atSeconds);
}

function estimateMessage(evaluation: Evaluation, { version }: ActiveConfiguration) {
  const { effectiveSampleSize, clippedAt, estimates } = evaluation;
  return {
    ...{ version, effectiveSampleSize, estimates },
    clippedAt: Number.isFinite(clippedAt) ? clippedAt : undefined,
  };
}

/** Says what would suffice; empty if both sides have estimates. */
function refusalOf(
  evaluations: readonly Evaluation[],
  times: readonly number[],
  { settings: { exploration } }: ActiveConfiguration,
): string {
  const least = evaluations.reduce((a, b) => (b.effectiveSampleSize < a.effectiveSampleSize ? b : a));
  if (least.effectiveSampleSize >= leastEffectiveSample) return '';
  const { listCount, effectiveSampleSize, neededListCount } = least;
  if (listCount === 0) return 'No explored list is recorded. Add `exploration` to the configuration.';
  const found = `The effective sample is ${effectiveSampleSize.toFixed(1)} of ${listCount} explored lists; ${leastEffectiveSample} are needed.`;
  if (neededListCount === undefined)
    return `${found} The configuration would show none of the logged items: explore more candidates.`;
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const perDay = (listCount * dayMs) / Math.max(last - first, 3_600_000);
  const days = (share: number) => Math.ceil(((neededListCount - listCount) * share) / perDay);
  const advice = `${neededListCount} lists would suffice: ${days(1)} more days at ${Math.round(perDay)} recorded a day`;
  if (!exploration || exploration.share >= advisedShare) return `${found} ${advice}.`;
  const faster = days(exploration.share / advisedShare);
  return `${found} ${advice} (share ${exploration.share}), or ${faster} with a share of ${advisedShare}.`;
}
