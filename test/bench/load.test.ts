import test from 'ava';
import { drive, type Lane } from './load.ts';

/** Answers a turn of the event loop later. */
const quickLane: Lane<undefined> = { exchange: (_, done) => void setImmediate(done), close: () => undefined };

test('who arrives while the driver stands still and is never sent has waited, too', async (t) => {
  const driven = drive({ lanes: [quickLane], next: () => undefined, durationMs: 20, ratePerSecond: 10_000 });
  standStill(40);
  const { p50Ms, p99Ms } = await driven;
  t.true(p50Ms > 0);
  t.true(p99Ms >= p50Ms);
});

function standStill(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
