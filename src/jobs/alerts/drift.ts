/**
 * Finds drops of hourly rates below what the same hours of the last four weeks had.
 *
 * An hour has `part` of `whole`, for example clicks of impressions; the same hours of the four weeks
 * before together have `P` of `W`. If the counts are Poisson and the rate of the hour is ρ times that
 * of the weeks, then `part` is binomial of `part + P` with q(ρ) = ρ·whole / (ρ·whole + W), whatever
 * the rate (Przyborowski and Wilenski 1940). The e-value of the hour is the likelihood ratio of a
 * drop to `lost` against the tolerated `least`:
 *
 * L = (q(lost) / q(least))^part · ((1 - q(lost)) / (1 - q(least)))^P
 *
 * Its mean is at most 1 for every ρ ≥ `least`. Counts that vary more than Poisson counts take L to
 * the power 1/φ, with φ their variance in multiples of the mean; by Jensen's inequality the mean stays
 * at most 1. φ is the larger one of hours and of days, from the medians of Pearson's residuals, so
 * that a few bad days do not hide the next drop.
 *
 * The hours accumulate as an e-detector (Shin, Ramdas and Rinaldo 2023, "E-detectors: A Nonparametric
 * Framework for Sequential Change Detection"): ln M = max(0, ln M before) + ln L, which crosses ln A
 * at most once in A hours on average without a drop, however often somebody looks. The same in the
 * other direction finds the end of a drop.
 */

/** Counts of an hour or of several. */
export type Count = { part: number; whole: number };

/** Factors of the usual rate: tolerated, and of the drop to find. */
export type Drop = { least: number; lost: number };

export type Series = {
  /** Counts of an hour since 1970. */
  countAt(hour: number): Count;
  /** First hour with counts. */
  firstHour: number;
  drop: Drop;
};

export const weekHours = 7 * 24;
const baselineWeeks = 4;
/** Earlier hours have no baseline that varies. */
const fewestWeeks = 2;
/** Hours that are read before those that are judged. */
export const baselineHours = baselineWeeks * weekHours;

type Judged = { hour: number; count: Count; baseline: Count; logEvidence: number };

/** Returns the hours of [fromHour, toHour) that have a baseline, with the evidence of a drop. */
export function judgeHours(series: Series, fromHour: number, toHour: number): Judged[] {
  const start = Math.max(fromHour, series.firstHour + fewestWeeks * weekHours);
  const dispersion = dispersionOf(series, start);
  const judged: Judged[] = [];
  for (let hour = start; hour < toHour; hour++) {
    const count = series.countAt(hour);
    const baseline = baselineOf(series, hour);
    if (count.whole === 0 || baseline.part === 0) continue;
    const logEvidence = logRatio(count, baseline, series.drop) / dispersion;
    judged.push({ hour, count, baseline, logEvidence });
  }
  return judged;
}

function baselineOf({ countAt, firstHour }: Series, hour: number): Count {
  const sum = { part: 0, whole: 0 };
  for (let week = 1; week <= baselineWeeks; week++) {
    if (hour - week * weekHours < firstHour) break;
    const { part, whole } = countAt(hour - week * weekHours);
    sum.part += part;
    sum.whole += whole;
  }
  return sum;
}

function logRatio({ part, whole }: Count, baseline: Count, { least, lost }: Drop): number {
  const shareOf = (rate: number) => (rate * whole) / (rate * whole + baseline.whole);
  const [usual, low] = [shareOf(least), shareOf(lost)];
  return part * Math.log(low / usual) + baseline.part * Math.log((1 - low) / (1 - usual));
}

/** Median of the square of a standard normal variable. */
const medianSquare = 0.4549;

/** Returns the variance in multiples of the mean, at least 1, in the four weeks before an hour. */
function dispersionOf(series: Series, beforeHour: number): number {
  const { countAt, firstHour } = series;
  const hourly: number[] = [];
  const days = new Map<number, { residual: number; mean: number }>();
  const weeks = Math.min(baselineWeeks, Math.floor((beforeHour - firstHour) / weekHours));
  const startHour = beforeHour - weeks * weekHours;
  for (let place = 0; place < weekHours; place++) {
    const hours = Array.from({ length: weeks }, (_, week) => startHour + week * weekHours + place);
    const counts = hours.map(countAt);
    const [part, whole] = [sumOf(counts, 'part'), sumOf(counts, 'whole')];
    if (part === 0 || whole === 0) continue;
    for (const [week, count] of counts.entries()) {
      const mean = (count.whole * part) / whole;
      const residual = count.part - mean;
      if (mean > 0) hourly.push(residual ** 2 / mean);
      const day = week * 7 + Math.floor(place / 24);
      const { residual: earlier, mean: earlierMean } = days.get(day) ?? { residual: 0, mean: 0 };
      days.set(day, { residual: earlier + residual, mean: earlierMean + mean });
    }
  }
  const daily = Array.from(days.values(), ({ residual, mean }) => (mean > 0 ? residual ** 2 / mean : 0));
  /** Residuals from a mean of `weeks` values vary less than those from the true one. */
  const scale = weeks / (weeks - 1) / medianSquare;
  return Math.max(1, scale * medianOf(hourly), scale * medianOf(daily));
}

const sumOf = (counts: readonly Count[], name: keyof Count) =>
  counts.reduce((sum, count) => sum + count[name], 0);

function medianOf(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** @property fromHour First hour of the evidence. @property hour Hour that crossed the limit. */
export type Crossing = { fromHour: number; hour: number; expected: number; observed: number };

/**
 * Finds the first hour at which the evidence crosses a limit.
 * @param direction 1 for a drop, -1 for its end. @param logLimit Logarithm of the mean hours between false alarms.
 */
export function findCrossing(
  judged: readonly Judged[],
  direction: 1 | -1,
  logLimit: number,
): Crossing | undefined {
  let sum = 0;
  let start = 0;
  for (const [i, { hour, logEvidence }] of judged.entries()) {
    if (sum <= 0) {
      sum = 0;
      start = i;
    }
    sum += direction * logEvidence;
    if (sum >= logLimit)
      return { fromHour: judged[start].hour, hour, ...meansOf(judged.slice(start, i + 1)) };
  }
  return undefined;
}

function meansOf(judged: readonly Judged[]): Pick<Crossing, 'expected' | 'observed'> {
  let [whole, part, usual] = [0, 0, 0];
  for (const { count, baseline } of judged) {
    whole += count.whole;
    part += count.part;
    usual += (count.whole * baseline.part) / baseline.whole;
  }
  return { expected: usual / whole, observed: part / whole };
}
