/** A clock controlled by the test, as wall clock and as elapsed time. */
export type TestClock = { clock: () => number; elapsedMs: () => number; advance(ms: number): void };

export function createTestClock(): TestClock {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  const read = () => nowMs;
  return {
    clock: read,
    elapsedMs: read,
    advance(ms) {
      nowMs += ms;
    },
  };
}
