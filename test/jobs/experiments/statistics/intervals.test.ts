import test from 'ava';
import { compare, type Kind, normalQuantile } from '../../../../src/jobs/experiments/statistics/intervals.ts';
import { type Moments, meanOf, rateOf } from '../../../../src/jobs/experiments/statistics/moments.ts';
import { checkSampleRatio, logGamma } from '../../../../src/jobs/experiments/statistics/sample-ratio.ts';
import { createChance } from '../support.ts';

const none = (): Moments => ({ count: 0, sum: 0, squares: 0 });

function add(moments: Moments, value: number): void {
  moments.count += 1;
  moments.sum += value;
  moments.squares += value * value;
}

/** Spending of a device: mostly 0, sometimes a skewed sum. */
const spend = (chance: () => number, lift: number) =>
  chance() < 0.3 * (1 + lift) ? -20 * Math.log(1 - chance()) : 0;

/** Whether any look of an experiment was significant; looks are spread from the first hundreds of devices to the last. */
function everSignificant(seed: number, kind: Kind, lift: number, deviceCount: number): boolean {
  const chance = createChance(seed);
  const arms = [none(), none()];
  let nextLook = 400;
  for (let device = 1; device <= deviceCount; device++) {
    const arm = chance() < 0.5 ? 0 : 1;
    add(arms[arm], spend(chance, arm === 1 ? lift : 0));
    if (device < nextLook) continue;
    nextLook = Math.ceil(nextLook * 1.1);
    if (compare(meanOf(arms[0]), meanOf(arms[1]), kind, 0.95).isSignificant) return true;
  }
  return false;
}

const shareOf = (runs: number, kind: Kind, lift: number, deviceCount: number) =>
  Array.from({ length: runs }, (_, seed) => everSignificant(seed, kind, lift, deviceCount)).filter(Boolean)
    .length / runs;

test('at most 5 % of 1,000 experiments without a difference are ever significant in 40 looks', (t) => {
  t.true(shareOf(1_000, 'alwaysValid', 0, 15_000) <= 0.05);
});

test('the interval for one look is invalid for repeated looks', (t) => {
  t.true(shareOf(200, 'fixed', 0, 15_000) > 0.15);
});

/** One device of a hundred buys, in a control arm of a tenth of the devices as often as in the other one. */
function rareBuying(seed: number) {
  const chance = createChance(seed + 900_000);
  const arms = [none(), none()];
  const serve = (deviceCount: number) => {
    for (let device = 0; device < deviceCount; device++) {
      add(arms[device % 10 === 0 ? 0 : 1], chance() < 0.01 ? 1 : 0);
    }
  };
  const look = (kind: Kind) => compare(meanOf(arms[0]), meanOf(arms[1]), kind, 0.95).isSignificant;
  return { serve, look };
}

test('a rare event is not significant if a small arm has none yet', (t) => {
  const runs = 500;
  let everWrong = 0;
  let onceWrong = 0;
  for (let seed = 0; seed < runs; seed++) {
    const { serve, look } = rareBuying(seed);
    serve(1_000);
    if (look('fixed')) onceWrong += 1;
    const looks = Array.from({ length: 40 }, () => {
      serve(250);
      return look('alwaysValid');
    });
    if (looks.includes(true)) everWrong += 1;
  }
  t.true(everWrong / runs <= 0.05, `${everWrong}`);
  t.true(onceWrong / runs <= 0.05, `${onceWrong}`);
});

test('a planted lift of a quarter is found in nine of ten experiments', (t) => {
  t.true(shareOf(100, 'alwaysValid', 0.25, 15_000) >= 0.9);
});

test('one look at an interval for one look errs at its stated rate', (t) => {
  const runs = 1_000;
  let wrong = 0;
  for (let seed = 0; seed < runs; seed++) {
    const chance = createChance(seed + 77_777);
    const arms = [none(), none()];
    for (let device = 0; device < 1_000; device++) add(arms[device % 2], spend(chance, 0));
    if (compare(meanOf(arms[0]), meanOf(arms[1]), 'fixed', 0.9).isSignificant) wrong += 1;
  }
  t.true(wrong / runs > 0.07 && wrong / runs < 0.13, `${wrong}`);
});

test('a difference of the smallest detectable size is found in at least three of four', (t) => {
  const control = { count: 5_000, value: 1, variance: 0.0004 };
  const first = compare(control, control, 'alwaysValid', 0.95);
  const chance = createChance(5);
  const normal = () => normalQuantile(Math.max(1e-12, chance()));
  const found = Array.from({ length: 1_000 }, () => {
    const value = 1 + first.smallestDetectable! + normal() * Math.sqrt(0.0008);
    return compare(control, { ...control, value }, 'alwaysValid', 0.95).isSignificant;
  }).filter(Boolean).length;
  t.true(found > 750 && found < 850, `${found}`);
});

test('with too few devices there is no interval', (t) => {
  const few = { count: 99, value: 1, variance: 0 };
  t.deepEqual(compare(few, { ...few, count: 10_000, value: 2 }, 'fixed', 0.95), {
    value: 1,
    isSignificant: false,
  });
});

test('the variance of a rate counts devices, not impressions', (t) => {
  const part = none();
  const whole = none();
  let products = 0;
  for (let device = 0; device < 1_000; device++) {
    const clicks = device % 2 ? 50 : 0;
    add(part, clicks);
    add(whole, 100);
    products += clicks * 100;
  }
  const { value, variance } = rateOf({ part, whole, products, count: whole.count });
  t.is(value, 0.25);
  t.true(Math.abs(Math.sqrt(variance) - 0.25 / Math.sqrt(999)) < 1e-9);
});

test('the normal quantile and the gamma function have their known values', (t) => {
  for (const [p, z] of [
    [0.975, 1.959963985],
    [0.8, 0.841621234],
    [0.001, -3.090232306],
    [0.5, 0],
  ])
    t.true(Math.abs(normalQuantile(p) - z) < 1e-7);
  for (const [x, value] of [
    [1, 0],
    [0.5, Math.log(Math.PI) / 2],
    [10, Math.log(362_880)],
  ])
    t.true(Math.abs(logGamma(x) - value) < 1e-10);
});

test('at most 1 % of 1,000 correct splits raise the alarm, checked after every 50 devices', (t) => {
  let alarms = 0;
  for (let seed = 0; seed < 1_000; seed++) {
    const chance = createChance(seed + 500_000);
    const counts = [0, 0];
    let isAlarmed = false;
    for (let device = 1; device <= 3_000; device++) {
      counts[chance() < 0.9 ? 0 : 1] += 1;
      if (device % 50 === 0 && checkSampleRatio(counts, [0.9, 0.1]).isMismatch) isAlarmed = true;
    }
    if (isAlarmed) alarms += 1;
  }
  t.true(alarms <= 10, `${alarms}`);
});

test('wrong shares raise the alarm', (t) => {
  t.true(checkSampleRatio([5_300, 4_700], [0.5, 0.5]).isMismatch);
  t.false(checkSampleRatio([5_040, 4_960], [0.5, 0.5]).isMismatch);
  t.is(checkSampleRatio([0, 0], [0.5, 0.5]).pValue, 1);
});
