/** The report of a policy evaluation as text. */

import type {
  EvaluatePolicyResponse,
  PolicyEstimate,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { formatTable } from '../output.ts';

export function describePolicies(metric: string, answer: EvaluatePolicyResponse): string {
  const { listCount, decisionCount, loggedValue, policy, against, positions, replayedShare } = answer;
  const head = `${decisionCount} explored positions of ${listCount} lists; ${metric} of a position as served: ${digits(loggedValue)}`;
  if (answer.refusal) return `${head}\nNo estimate: ${answer.refusal}`;
  const rows = [policy!, against!].flatMap((side) =>
    side.estimates.map(({ name, value, low, high, bootstrapLow, bootstrapHigh }) => [
      ...[nameOf(side), name, digits(value), interval(low, high), interval(bootstrapLow, bootstrapHigh)],
      side.effectiveSampleSize.toFixed(0),
    ]),
  );
  const effects = positions.map(({ rank, effect }) => `${rank}: ${effect.toFixed(2)}`).join('  ');
  return [
    head,
    formatTable(['', 'estimator', metric, '95 % interval', 'bootstrap', 'effective sample'], rows).trimEnd(),
    `Effect of positions  ${effects}`,
    `Other positions replayed alike: ${(replayedShare * 100).toFixed(1)} %`,
  ].join('\n');
}

const nameOf = ({ version }: PolicyEstimate) => (version === 0 ? 'draft' : `version ${version}`);

const digits = (value: number) => value.toFixed(5);

const interval = (low: number, high: number) => `${digits(low)} … ${digits(high)}`;
