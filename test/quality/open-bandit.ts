/**
 * Estimates the uniform policy on the Open Bandit data (Saito, Aihara, Matsutani and Narita, 2021)
 * from the log of Bernoulli Thompson sampling, and compares it with the log of the uniform policy.
 *
 *   pip download --no-deps --ignore-requires-python obp==0.5.7 --dest CACHE
 *   tar xzf CACHE/obp-0.5.7.tar.gz --directory CACHE
 *   node test/quality/open-bandit.ts CACHE/obp-0.5.7/obp/dataset/obd
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crossFit, positionBias, type Shown } from '../../src/jobs/evaluation/policy/click-model.ts';
import { evaluatePolicy } from '../../src/jobs/evaluation/policy/off-policy.ts';

const [folder] = process.argv.slice(2);

/** Every row is a decision of its own. */
function readLog(policy: 'bts' | 'random', campaign: string): Shown[] {
  const [heading, ...lines] = readFileSync(join(folder, policy, campaign, `${campaign}.csv`), 'utf8')
    .trimEnd()
    .split('\n');
  const names = heading.split(',');
  const [item, position, click, propensity] = ['item_id', 'position', 'click', 'propensity_score'].map(
    (one) => names.indexOf(one),
  );
  return lines.map((line, list) => {
    const cells = line.split(',');
    const [rank, reward, probability] = [position, click, propensity].map((at) => Number(cells[at]));
    return { list, item: cells[item], rank, reward, propensity: probability };
  });
}

const rounded = (value: number) => value.toFixed(5);

for (const campaign of ['all', 'men', 'women']) {
  const itemCount =
    readFileSync(join(folder, 'bts', campaign, 'item_context.csv'), 'utf8')
      .trimEnd()
      .split('\n').length - 1;
  const items = Array.from({ length: itemCount }, (_, i) => String(i));
  const log = readLog('bts', campaign);
  const modelOf = crossFit(log);
  const result = evaluatePolicy(
    log.map(({ list, item, rank, reward, propensity }) => ({
      list,
      weight: 1 / itemCount / propensity,
      reward,
      policyPrediction: items.reduce((sum, one) => sum + modelOf(list)(one, rank), 0) / itemCount,
      loggedPrediction: modelOf(list)(item, rank),
    })),
  );
  const onPolicy = readLog('random', campaign);
  const clicks = onPolicy.reduce((sum, { reward }) => sum + reward, 0);
  const rate = clicks / onPolicy.length;
  const error = Math.sqrt((rate * (1 - rate)) / onPolicy.length);
  const { effectiveSampleSize, listCount, clippedAt, neededListCount, estimates } = result;
  const clipping =
    clippedAt === Number.POSITIVE_INFINITY ? 'not clipped' : `clipped at ${clippedAt.toFixed(1)}`;
  console.log(
    `${campaign}: ${listCount} rows, effective sample ${effectiveSampleSize.toFixed(1)}, ${clipping}`,
  );
  console.log(`  on-policy ${rounded(rate)} ± ${rounded(1.96 * error)} (${clicks} clicks)`);
  console.log(
    `  θ ${JSON.stringify([...positionBias(log)].sort().map(([rank, one]) => [rank, Number(one.toFixed(3))]))}`,
  );
  if (estimates.length === 0) console.log(`  refused: some ${neededListCount} rows would suffice`);
  for (const { name, value, low, high, bootstrapLow, bootstrapHigh } of estimates) {
    const covers = low <= rate && rate <= high ? 'covers' : 'MISSES';
    const bootstrap = `${rounded(bootstrapLow)} … ${rounded(bootstrapHigh)}`;
    console.log(
      `  ${name.padEnd(5)} ${rounded(value)}  ${rounded(low)} … ${rounded(high)}  ${covers}  bootstrap ${bootstrap}`,
    );
  }
}
