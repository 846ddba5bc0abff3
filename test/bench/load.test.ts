import test from 'ava';
import { drive, type Lane, measureLatencies } from './load.ts';

/** Answers a turn of the event loop later. */
const quickLane: Lane<undefined> = { exchange: (_, done) => void setImmediate(done), close: () => undefined };

test('who arrives while the driver stands still and is never sent has waited, too', async (t) => {
  const driven = drive({ lanes: [quickLane], next: () => undefined, durationMs: 20, ratePerSecond: 10_000 });
  standStill(40);
  const { p50Ms, p99Ms } = await driven;
  t.true(p50Ms > 0);
  t.true(p99Ms >= p50Ms);
});

test('of several stretches the one in the middle is told, and the worst beside it', async (t) => {
  let sent = 0;
  const once: Lane<undefined> = {
    exchange(request, done) {
      sent += 1;
      if (sent === 1) standStill(400);
      quickLane.exchange(request, done);
    },
    close: () => undefined,
  };
  const load = { lanes: [once], next: () => undefined, durationMs: 20, ratePerSecond: 500 };
  const { p99Ms, worstP99Ms } = await measureLatencies(load);
  t.true(worstP99Ms >= 400);
  t.true(p99Ms < 400);
});

function standStill(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
