/** Parses the guarantee of a constraint. */

import type { Constraint } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import type { Violation } from '../../errors.ts';
import type { Guarantee, Query } from '../../ranking/rules/types.ts';
import { parseSchedule } from './parse-settings.ts';

/** @param guaranteeIds IDs of the earlier constraints; the guarantee's is added. */
export function parseGuarantee(
  { guarantee, limit }: Constraint,
  { tests }: Query,
  pointer: string,
  guaranteeIds: Set<string>,
): { guarantee?: Guarantee; violations: Violation[] } {
  if (!guarantee) return { violations: [] };
  const violations: Violation[] = [];
  const fault = (field: string, detail: string) => violations.push({ pointer: `${pointer}${field}`, detail });
  const { guaranteeId, dailyImpressions, dailyShare } = guarantee;
  if (guaranteeIds.has(guaranteeId)) fault('/guarantee/guarantee_id', 'Another guarantee has this id.');
  guaranteeIds.add(guaranteeId);
  if ((dailyImpressions === undefined) === (dailyShare === undefined))
    fault('/guarantee', 'Must have exactly one of daily_impressions and daily_share.');
  if (!limit?.min) fault('/limit/min', 'Must be at least 1 beside a guarantee.');
  const operands = tests.flatMap((test) => ('operands' in test ? test.operands : []));
  if (operands.some((operand) => 'variable' in operand))
    fault('/query', 'Must have no variables beside a guarantee.');
  const { schedule, violations: ofSchedule } = parseSchedule(guarantee, `${pointer}/guarantee`);
  return {
    guarantee: { guaranteeId, dailyImpressions, dailyShare, ...schedule },
    violations: [...violations, ...ofSchedule],
  };
}
