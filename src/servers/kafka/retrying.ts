/** Work that connects to a broker and goes on until it fails; it is then repeated after growing pauses. */

import { setTimeout as delay } from 'node:timers/promises';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export type Retrying = { start(): void; stop(): Promise<void> };

export type RetryingOptions = {
  /** Calls `progressed` when it works, which makes the next pause short again. */
  work(signal: AbortSignal, progressed: () => void): Promise<void>;
  onFailure(error: unknown): void;
};

export function createRetrying({ work, onFailure }: RetryingOptions): Retrying {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      try {
        await work(signal, () => {
          pauseMs = firstPauseMs;
        });
      } catch (error) {
        if (!signal.aborted) onFailure(error);
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
    }
  };
  return {
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
