import test from 'ava';
import { drive, type Lane, measureLatencies } from './load.ts';

/** Answers one turn of the event loop later. */
const quickLane: Lane<undefined> = { exchange: (_, done) => void setImmediate(done), close: () => undefined };

test('a request that arrives while the driver is blocked counts its waiting time', async (t) => {
  const driven = drive({ lanes: [quickLane], next: () => undefined, durationMs: 20, ratePerSecond: 10_000 });
  block(40);
  const { p50Ms, p99Ms } = await driven;
  t.true(p50Ms > 0);
  t.true(p99Ms >= p50Ms);
});

test('the result is the run with the middle p99, and the worst p99', async (t) => {
  let sent = 0;
  const once: Lane<undefined> = {
    exchange(request, done) {
      sent += 1;
      if (sent === 1) block(400);
      quickLane.exchange(request, done);
    },
    close: () => undefined,
  };
  const load = { lanes: [once], next: () => undefined, durationMs: 20, ratePerSecond: 500 };
  const { p99Ms, worstP99Ms } = await measureLatencies(load);
  t.true(worstP99Ms >= 400);
  t.true(p99Ms < 400);
});

function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
