/**
 * Paces guarantees over the day.
 *
 * F(t) is the share of a day's impressions that the day of a week ago (or yesterday, or without
 * either an even day) had until t. Due until t are X · (F(t) - F(start)) impressions for a number X,
 * and Y times the impressions so far for a share Y. The pace is the share of lists with the minimum:
 *
 * pace = (due - delivered) / (what becomes due in five minutes), between 0 and 1
 *
 * A guarantee that is met without help has the pace 0 and changes nothing. Otherwise it settles where
 * `delivered` follows `due` at a distance of at most five minutes, whatever part of the lists
 * is seen, and whether the traffic is as expected or not.
 */

import type { Guarantee } from '../../ranking/rules/types.ts';
import type { GuaranteeState } from '../../repository/guarantees/guarantees.ts';

const hourMs = 3_600_000;
const windowMs = 5 * 60_000;

/** Share of the target by which a guarantee at full pace may be behind. */
const tolerated = 0.02;

/** Expected impressions of a configuration in a day; `shareUntil` from 0 to 1. */
export type Forecast = { total: number; shareUntil(ms: number): number };

/** @param counts Impressions by hour of the day, of an earlier day; all 0 for an even day. */
export function createForecast(counts: readonly number[], dayStartMs: number, dayEndMs: number): Forecast {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const sums = [0];
  for (const count of counts) sums.push(sums.at(-1)! + count);
  return {
    total,
    shareUntil(ms) {
      if (ms <= dayStartMs) return 0;
      if (ms >= dayEndMs) return 1;
      if (total === 0) return (ms - dayStartMs) / (dayEndMs - dayStartMs);
      const at = Math.min((ms - dayStartMs) / hourMs, counts.length);
      const hour = Math.min(Math.floor(at), counts.length - 1);
      return (sums[hour] + (at - hour) * counts[hour]) / total;
    },
  };
}

type Counted = Pick<
  GuaranteeState,
  | 'configurationId'
  | 'guaranteeId'
  | 'startedMs'
  | 'delivered'
  | 'total'
  | 'clicks'
  | 'totalClicks'
  | 'status'
>;

type Situation = { forecast: Forecast; nowMs: number; dayEndMs: number; hasItems: boolean };

/** Returns the state of a guarantee with the pace for the next seconds. */
export function paced(counted: Counted, guarantee: Guarantee, situation: Situation): GuaranteeState {
  const { delivered, total } = counted;
  const { forecast, nowMs, dayEndMs, hasItems } = situation;
  const { activeFromMs = 0, activeUntilMs = Number.POSITIVE_INFINITY, dailyShare } = guarantee;
  const share = (ms: number) =>
    forecast.shareUntil(Math.min(ms, activeUntilMs)) -
    forecast.shareUntil(Math.max(counted.startedMs, activeFromMs));
  const whole = Math.max(0, share(dayEndMs));
  const past = Math.max(0, share(nowMs));
  /** Impressions of the placement from the start to the end, if the rest of the day is as expected. */
  const expected = Math.max(total, total + forecast.total * (whole - past));
  const target = dailyShare === undefined ? guarantee.dailyImpressions! * whole : dailyShare * expected;
  const due = dailyShare === undefined ? guarantee.dailyImpressions! * past : dailyShare * total;
  const isActive = nowMs >= activeFromMs && nowMs < activeUntilMs;
  const inWindow =
    isActive && whole > 0 ? (target * (past - Math.max(0, share(nowMs - windowMs)))) / whole : 0;
  const behind = due - delivered;
  const pace = !isActive || behind <= 0 ? 0 : Math.min(1, behind / inWindow);
  const common = { ...counted, target, due, pace };
  if (!isActive) return { ...common, status: 'inactive' };
  if (dailyShare === undefined && delivered >= target) return { ...common, status: 'met' };
  const isTooMuch = forecast.total > 0 && target > expected;
  const wasAtRisk = counted.status === 'at_risk' && behind > 0;
  const isLate = pace === 1 && behind > tolerated * target;
  return { ...common, status: !hasItems || isTooMuch || wasAtRisk || isLate ? 'at_risk' : 'on_track' };
}
