import test from 'ava';
import { crossFit, positionBias, type Shown } from '../../../../src/jobs/evaluation/policy/click-model.ts';
import { type Decision, evaluatePolicy } from '../../../../src/jobs/evaluation/policy/off-policy.ts';
import { createChance } from '../../../ranking/rules/support/chance.ts';

const classes = 10;

/** Examples in a plane: ten classes on a circle, blurred so that a nearest-centre rule errs. */
function drawExample(next: () => number) {
  const label = Math.floor(next() * classes);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const angle = (2 * Math.PI * label) / classes;
  return { label, x: Math.cos(angle) + 0.35 * normal(), y: Math.sin(angle) + 0.35 * normal() };
}

type Example = ReturnType<typeof drawExample>;

/** Returns the probabilities of the classes: a share for the nearest centre, the rest uniform. */
function classify({ x, y }: Example, turn: number, share: number): number[] {
  const angle = Math.atan2(y, x) + turn;
  const nearest = (Math.round((angle * classes) / (2 * Math.PI)) + classes) % classes;
  return Array.from({ length: classes }, (_, one) => (1 - share) / classes + (one === nearest ? share : 0));
}

/** A log of a poor classifier: reward 1 for the right class (Beygelzimer and Langford, 2009). */
function drawLog(seed: number, count: number, target: (example: Example) => number[]): Decision[] {
  const { next } = createChance(seed);
  return Array.from({ length: count }, (_, list) => {
    const example = drawExample(next);
    const logging = classify(example, 0.5, 0.5);
    let left = next();
    let action = 0;
    while (action < classes - 1 && left >= logging[action]) left -= logging[action++];
    const policy = target(example);
    /** A weak model: the prior of every class. */
    const predictions = { policyPrediction: 1 / classes, loggedPrediction: 1 / classes };
    const reward = action === example.label ? 1 : 0;
    return { list, weight: policy[action] / logging[action], reward, ...predictions };
  });
}

for (const { name, share } of [
  { name: 'a deterministic classifier', share: 1 },
  { name: 'a random classifier', share: 0.7 },
])
  test(`of 100 95 % intervals for ${name} at least 93 cover its accuracy`, (t) => {
    const target = (example: Example) => classify(example, 0, share);
    const { next } = createChance(1);
    let truth = 0;
    const examples = 200_000;
    for (let i = 0; i < examples; i++) {
      const example = drawExample(next);
      truth += target(example)[example.label] / examples;
    }
    const covering = { ips: 0, snips: 0, dr: 0 };
    let bootstrapped = 0;
    let width = 0;
    for (let seed = 0; seed < 100; seed++) {
      for (const one of evaluatePolicy(drawLog(1 + seed, 2_000, target)).estimates) {
        if (one.low <= truth && truth <= one.high) covering[one.name] += 1;
        if (one.bootstrapLow <= truth && truth <= one.bootstrapHigh) bootstrapped += 1;
        width += (one.high - one.low) / 300;
      }
    }
    t.log(JSON.stringify({ truth, covering, bootstrapped, width }));
    for (const count of Object.values(covering)) t.true(count >= 93, JSON.stringify(covering));
    t.true(bootstrapped >= 270, `${bootstrapped}`);
    t.true(width < 0.25, 'intervals are no wider than they need be');
  });

test('a small effective sample is refused, with the number of lists that would suffice', (t) => {
  const decisions = Array.from({ length: 1_000 }, (_, list) => ({
    list,
    weight: list < 20 ? 5 : 0,
    reward: 1,
  }));
  const refused = evaluatePolicy(decisions);
  t.like(refused, { effectiveSampleSize: 20, estimates: [], neededListCount: 5_000 });
  t.is(evaluatePolicy(decisions.map((one) => ({ ...one, weight: 0 }))).neededListCount, undefined);
  t.like(evaluatePolicy([]), { listCount: 0, effectiveSampleSize: 0, estimates: [] });
});

test('heavy weights are clipped, and the interval includes the bias', (t) => {
  const { next } = createChance(4);
  const decisions = Array.from({ length: 5_000 }, (_, list) => {
    const isRare = next() < 0.0005;
    return { list, weight: isRare ? 400 : 0.8, reward: next() < 0.1 ? 1 : 0 };
  });
  const { clippedAt, estimates, effectiveSampleSize } = evaluatePolicy(decisions);
  t.true(effectiveSampleSize < 500 || clippedAt < 400, `${clippedAt}`);
  for (const { low, high, name } of estimates) t.true(low <= 0.1 && 0.1 <= high, name);
});

test('decisions of one list depend on each other: equal ones count once', (t) => {
  const { next } = createChance(5);
  const single = Array.from({ length: 500 }, (_, list) => ({
    list,
    weight: 1,
    reward: next() < 0.3 ? 1 : 0,
  }));
  const [one, four] = [single, single.flatMap((decision) => Array(4).fill(decision))].map(
    (decisions) => evaluatePolicy(decisions).estimates[0],
  );
  t.true(Math.abs(one.low - four.low) < 1e-9 && Math.abs(one.high - four.high) < 1e-9);
});

test('the bias of positions is estimated from explored slots, whatever items they prefer', (t) => {
  const { next } = createChance(6);
  const [examination, attraction] = [
    [1, 0.7, 0.5, 0.3],
    [0.3, 0.05],
  ];
  const shown: Shown[] = Array.from({ length: 40_000 }, (_, i) => {
    const rank = i % 4;
    /** The first slot prefers the attractive items, the last one the others. */
    const preferred = [0.8, 0.6, 0.4, 0.2][rank];
    const kind = next() < preferred ? 0 : 1;
    const propensity = (kind === 0 ? preferred : 1 - preferred) / 10;
    const item = `${kind} ${Math.floor(next() * 10)}`;
    return {
      list: i >> 2,
      rank,
      item,
      propensity,
      reward: next() < examination[rank] * attraction[kind] ? 1 : 0,
    };
  });
  const bias = positionBias(shown);
  for (const rank of [1, 2, 3])
    t.true(Math.abs(bias.get(rank)! / bias.get(0)! - examination[rank]) < 0.06, `${rank}`);
  const model = crossFit(shown)(0);
  t.true(Math.abs(model('0 1', 3) - examination[3] * attraction[0]) < 0.03);
  t.true(model('0 1', 0) > 3 * model('1 1', 0));
});
