/**
 * `node test/bench/training-latency.ts [--seconds N] [--rounds N] [--json]`: measures the latency of recommendations during a
 * training. The size options are those of speed.ts.
 *
 * Rounds at the same moderate rate: before, during and after a training. The ratio of the medians excludes other work on the
 * machine. Takes two minutes.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { drive, type Measured } from './load.ts';
import { createRows, type Row } from './rows.ts';
import { askForTraining, findTraining, type Service, startFilledService } from './service.ts';
import { countOf, defaultLanes, shopOptions, shopSizeOf } from './sizes.ts';
import { createWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '4' },
    requests: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: defaultLanes },
    json: { type: 'boolean', default: false },
    ...shopOptions,
  },
});
/** Share of the highest rate. */
const load = 0.3;

async function main(): Promise<void> {
  const durationMs = Number(values.seconds) * 1000;
  const rounds = Number(values.rounds);
  const world = createWorld('training', Math.floor(Date.now() / 1000), shopSizeOf(values));
  say('Filling and training a shop …');
  const service = await startFilledService(world);
  try {
    const [row] = await createRows(service, world, {
      requestCount: countOf(values.requests),
      laneCount: countOf(values.lanes),
    });
    const { requestsPerSecond } = await measure(row, durationMs);
    const ratePerSecond = load * requestsPerSecond;
    say(`${ratePerSecond.toFixed(0)} requests a second, ${load} of what the service can do.`);
    const once = () => measure(row, durationMs, ratePerSecond);
    const without = await repeat(Math.ceil(rounds / 2), once);
    const during = await measureDuring(service, rounds, once);
    without.push(...(await repeat(Math.floor(rounds / 2), once)));
    tell(ratePerSecond, without, during);
  } finally {
    await service.stop();
  }
}

/** Starts another training when one ends before the rounds, and waits for the last one. */
async function measureDuring(
  service: Service,
  rounds: number,
  once: () => Promise<Measured>,
): Promise<Measured[]> {
  let id = await beginTraining(service);
  const all: Measured[] = [];
  while (all.length < rounds) {
    const measured = await once();
    /** A round in which the training ended is left out. */
    if (await isRunning(service, id)) all.push(measured);
    else id = await beginTraining(service);
  }
  say('Waiting for the training to end …');
  while (await isRunning(service, id)) await delay(500);
  return all;
}

async function beginTraining(service: Service): Promise<string> {
  const id = await askForTraining(service);
  say('A training begins …');
  while ((await findTraining(service, id)).state === 'queued') await delay(20);
  return id;
}

async function isRunning(service: Service, id: string): Promise<boolean> {
  return (await findTraining(service, id)).end_time === undefined;
}

async function repeat(count: number, once: () => Promise<Measured>): Promise<Measured[]> {
  const all: Measured[] = [];
  while (all.length < count) all.push(await once());
  return all;
}

function measure({ lanes, next }: Row, durationMs: number, ratePerSecond?: number): Promise<Measured> {
  return drive({ lanes, next, durationMs, ratePerSecond });
}

function tell(ratePerSecond: number, without: Measured[], during: Measured[]): void {
  const ratios = (['p50Ms', 'p99Ms'] as const).map((name) => {
    const [quiet, busy] = [without, during].map((all) => median(all.map((one) => one[name])));
    return { name, without: quiet, during: busy, ratio: busy / quiet };
  });
  if (values.json) console.log(JSON.stringify({ ratePerSecond, ratios }));
  else {
    for (const { name, without: quiet, during: busy, ratio } of ratios)
      console.log(
        `${name}: ${quiet.toFixed(2)} without, ${busy.toFixed(2)} during a training, ratio ${ratio.toFixed(2)}`,
      );
  }
}

function median(all: number[]): number {
  return all.toSorted((a, b) => a - b)[all.length >> 1];
}

function say(text: string): void {
  console.error(text);
}

await main();
