/** Variance reduction, coverage and plans, on simulated devices with fixed seeds. */

import test from 'ava';
import { compare, detectable, neededCount } from '../../../../src/jobs/experiments/statistics/intervals.ts';
import {
  type Adjustable,
  adjust,
  type Estimate,
  pairedMean,
  pairedRate,
  type RateProducts,
} from '../../../../src/jobs/experiments/statistics/moments.ts';
import { createChance } from '../support.ts';

type Device = { clicks: number; shown: number; clicksBefore: number; shownBefore: number };

/** A device clicks as its taste lets it, before and after; `lift` changes what it does after. */
function draw(chance: () => number, lift: number): Device {
  const taste = 0.05 + 0.6 * chance() * chance();
  const clicksOf = (shown: number, rate: number) => {
    let clicks = 0;
    for (let i = 0; i < shown; i++) if (chance() < rate) clicks += 1;
    return clicks;
  };
  const shown = 25 + Math.floor(11 * chance());
  const shownBefore = 20 + Math.floor(21 * chance());
  return {
    ...{ shown, shownBefore },
    clicks: clicksOf(shown, taste * (1 + lift)),
    clicksBefore: clicksOf(shownBefore, taste),
  };
}

/** Sums of an arm, from which both metrics are estimated. */
function createArm() {
  const devices: Device[] = [];
  const sum = (of: (device: Device) => number) => devices.reduce((total, device) => total + of(device), 0);
  const momentsOf = (of: (device: Device) => number) => ({
    count: devices.length,
    sum: sum(of),
    squares: sum((device) => of(device) ** 2),
  });
  return {
    add: (device: Device) => void devices.push(device),
    mean: (): Adjustable =>
      pairedMean(
        momentsOf(({ clicks }) => clicks),
        momentsOf(({ clicksBefore }) => clicksBefore),
        sum(({ clicks, clicksBefore }) => clicks * clicksBefore),
      ),
    rate: (pooled: { value: number; meanWhole: number }): Adjustable => {
      const products: RateProducts & { parts: number; wholes: number } = {
        after: sum(({ clicks, shown }) => clicks * shown),
        before: sum(({ clicksBefore, shownBefore }) => clicksBefore * shownBefore),
        part: sum(({ clicks, shownBefore }) => clicks * shownBefore),
        whole: sum(({ shown, clicksBefore }) => shown * clicksBefore),
        parts: sum(({ clicks, clicksBefore }) => clicks * clicksBefore),
        wholes: sum(({ shown, shownBefore }) => shown * shownBefore),
      };
      return pairedRate(
        {
          ...{ part: momentsOf(({ clicks }) => clicks), whole: momentsOf(({ shown }) => shown) },
          partBefore: momentsOf(({ clicksBefore }) => clicksBefore),
          wholeBefore: momentsOf(({ shownBefore }) => shownBefore),
          ...{ products, count: devices.length },
        },
        pooled,
      );
    },
    before: () => ({ clicks: sum(({ clicksBefore }) => clicksBefore), shown: sum((d) => d.shownBefore) }),
    get count() {
      return devices.length;
    },
  };
}

type Pair = { plain: Estimate[]; adjusted: Estimate[] };

function run(seed: number, lift: number, deviceCount: number): { means: Pair; rates: Pair } {
  const chance = createChance(seed);
  const arms = [createArm(), createArm()];
  for (let i = 0; i < deviceCount; i++) {
    const arm = chance() < 0.5 ? 0 : 1;
    arms[arm].add(draw(chance, arm * lift));
  }
  const before = arms.map((arm) => arm.before());
  const shown = before[0].shown + before[1].shown;
  const pooled = {
    value: (before[0].clicks + before[1].clicks) / shown,
    meanWhole: shown / (arms[0].count + arms[1].count),
  };
  const [means, rates] = [arms.map((arm) => arm.mean()), arms.map((arm) => arm.rate(pooled))];
  return {
    means: { plain: means, adjusted: adjust(means) },
    rates: { plain: rates, adjusted: adjust(rates) },
  };
}

const runs = 500;
const meanShown = 30;
const meanRate = 0.05 + 0.6 / 4;

test('what devices did before halves the variance, and intervals still cover the difference', (t) => {
  const ratios = { means: 0, rates: 0 };
  const misses = { means: 0, rates: 0 };
  const truth = { means: 0.1 * meanRate * meanShown, rates: 0.1 * meanRate };
  for (let seed = 0; seed < runs; seed++) {
    const found = run(seed, 0.1, 400);
    for (const kind of ['means', 'rates'] as const) {
      const { plain, adjusted } = found[kind];
      ratios[kind] +=
        (adjusted[0].variance + adjusted[1].variance) / (plain[0].variance + plain[1].variance) / runs;
      const { value, radius } = compare(adjusted[0], adjusted[1], 'fixed', 0.95);
      if (Math.abs(value - truth[kind]) > radius!) misses[kind] += 1;
    }
  }
  t.true(ratios.means < 0.5 && ratios.rates < 0.5, JSON.stringify(ratios));
  for (const count of Object.values(misses)) t.true(count > 10 && count < 40, JSON.stringify(misses));
});

test('of 10,000 experiments without a difference at most 5 % are ever significant', (t) => {
  const counted = 10_000;
  const looks = [200, 300, 500, 800, 1_200];
  let wrong = 0;
  for (let seed = 0; seed < counted; seed++) {
    const chance = createChance(seed + 1_000_000);
    const sums = [0, 1].map(() => ({ count: 0, y: 0, yy: 0, x: 0, xx: 0, xy: 0 }));
    let devices = 0;
    let isWrong = false;
    for (const look of looks) {
      for (; devices < look; devices++) {
        const arm = sums[chance() < 0.5 ? 0 : 1];
        const taste = chance();
        const [x, y] = [taste + chance(), taste + (chance() < 0.1 ? 3 : 0)];
        arm.count += 1;
        arm.y += y;
        arm.yy += y * y;
        arm.x += x;
        arm.xx += x * x;
        arm.xy += x * y;
      }
      const [control, other] = adjust(
        sums.map(({ count, y, yy, x, xx, xy }) =>
          pairedMean({ count, sum: y, squares: yy }, { count, sum: x, squares: xx }, xy),
        ),
      );
      isWrong ||= compare(control, other, 'alwaysValid', 0.95).isSignificant;
    }
    if (isWrong) wrong += 1;
  }
  t.true(wrong / counted <= 0.05, `${wrong}`);
});

test('a planned number of devices finds the planned difference', (t) => {
  const levels = { confidence: 0.95, power: 0.8 };
  const needed = neededCount(0.1, 1, [0.5, 0.5], levels);
  t.true(needed > 4_000 && needed < 20_000, `${needed}`);
  t.true(detectable(1, [needed / 2, needed / 2], levels) <= 0.1);
  t.true(detectable(1, [needed / 2 - 1, needed / 2 - 1], levels) > 0.1);
  t.true(neededCount(0.1, 1, [0.1, 0.9], levels) > 2 * needed);
});
