/**
 * `node test/bench/training-latency.ts [--seconds N]`: how much later recommendations come while models are trained.
 *
 * Rounds with and without a training take turns, at the same moderate rate, and the medians of their latencies are told as a
 * ratio: what else the machine does then bears on both.
 */

import { parseArgs } from 'node:util';
import { drive, type Measured } from './load.ts';
import { createRows, type Row } from './rows.ts';
import { startFilledService, train } from './service.ts';
import { createWorld } from './world.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' } } });
const rounds = 5;
/** Of the highest rate. */
const load = 0.3;

async function main(): Promise<void> {
  const durationMs = Number(values.seconds) * 1000;
  const world = createWorld('training', Math.floor(Date.now() / 1000));
  const service = await startFilledService(world);
  try {
    const [row] = await createRows(service, world);
    const { requestsPerSecond } = await measure(row, durationMs);
    const ratePerSecond = load * requestsPerSecond;
    const quiet: Measured[] = [];
    const training: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      quiet.push(await measure(row, durationMs, ratePerSecond));
      const isOver = new AbortController();
      const trainings = trainUntil(isOver.signal, () => train(service));
      training.push(await measure(row, durationMs, ratePerSecond));
      isOver.abort();
      await trainings;
    }
    for (const name of ['p50Ms', 'p99Ms'] as const) {
      const [without, during] = [quiet, training].map((all) => median(all.map((one) => one[name])));
      console.log(
        `${name}: ${without.toFixed(2)} without, ${during.toFixed(2)} during a training, ratio ${(during / without).toFixed(2)}`,
      );
    }
  } finally {
    await service.stop();
  }
}

/** One training after the other. */
async function trainUntil(signal: AbortSignal, next: () => Promise<void>): Promise<void> {
  while (!signal.aborted) await next();
}

function measure({ lanes, next }: Row, durationMs: number, ratePerSecond?: number): Promise<Measured> {
  return drive({ lanes, next, durationMs, ratePerSecond });
}

function median(all: number[]): number {
  return all.toSorted((a, b) => a - b)[all.length >> 1];
}

await main();
