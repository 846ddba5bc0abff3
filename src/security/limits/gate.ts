import { rateLimited } from './rate-limited.ts';

/** Lets a bounded amount of costly work run at once and a bounded amount wait; more is RATE_LIMITED. */
export type Gate = { run<T>(work: () => Promise<T>): Promise<T> };

export type GateOptions = { concurrency: number; mostWaiting: number };

export function createGate({ concurrency, mostWaiting }: GateOptions): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;

  /** A leaver hands its place on, so that nobody slips in between. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (running < concurrency) running++;
    else if (waiting.length < mostWaiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw rateLimited('Too many callers are waiting for this', 1000);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return { run };
}
