import { DomainError } from '../../errors.ts';

/** Limits how many tasks run at once and how many wait. Further tasks fail with RATE_LIMITED. */
export type Gate = { run<T>(work: () => Promise<T>): Promise<T> };

export type GateOptions = { concurrency: number; mostWaiting: number };

export function createGate({ concurrency, mostWaiting }: GateOptions): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Hands the slot to the next waiting task, so that a new task cannot take it first. */
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

export function rateLimited(what: string, waitMs: number): DomainError {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  return new DomainError('RATE_LIMITED', `${what}; try again in ${seconds} s.`, {
    metadata: { retry_after_seconds: seconds },
  });
}
