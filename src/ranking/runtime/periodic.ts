/**
 * Periodic work: runs after each pause, once at a time, and never rejects. A failure is logged once
 * until the work succeeds again, and the work is repeated.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { nextTurn } from './slices.ts';

export type Periodic = {
  /** The first run comes after the first pause. */
  start(): void;
  /** Ends the current pause, or the next one. */
  wake(): void;
  /** Runs now, or after the current run; resolves when the run has ended, also by a failure. */
  run(): Promise<void>;
  /** Aborts the signal of the current run and resolves when it has ended. */
  stop(): Promise<void>;
};

export type PeriodicOptions = {
  /** Does one run; returns `again` to run again at once. */
  work(signal: AbortSignal): Promise<unknown>;
  /** From the end of a run to the next one, which may depend on the duration of the run. */
  pauseMs: number | ((tookMs: number) => number);
  /** Before the first run [pauseMs, for a duration of 0]. */
  firstPauseMs?: number;
  /** After a run that failed [pauseMs]. */
  retryMs?: number;
  /** Runs once more at the stop, so that buffered data is not lost [false]. */
  runsAtStop?: boolean;
  /** Log message of a failure, for example `Cannot follow the database; serving known data.` */
  complaint: string;
  /** Fields of the log line. */
  facts?: object;
  logger: Pick<Logger, 'warn'> & Partial<Pick<Logger, 'info'>>;
};

export function createPeriodic(options: PeriodicOptions): Periodic {
  const { work, pauseMs, retryMs, complaint, facts, logger } = options;
  const pauseAfter = (tookMs: number) => (typeof pauseMs === 'number' ? pauseMs : pauseMs(tookMs));
  const stopping = new AbortController();
  let pausing = new AbortController();
  let isWoken = false;
  let isFailing = false;
  let running: Promise<unknown> = Promise.resolve();
  let looping: Promise<void> = Promise.resolve();

  const attempt = async (): Promise<boolean> => {
    try {
      const isMore = (await work(stopping.signal)) === 'again';
      if (isFailing) logger.info?.({ ...facts }, `Recovered from: ${complaint}`);
      isFailing = false;
      return isMore;
    } catch (error) {
      if (stopping.signal.aborted) return false;
      if (!isFailing) logger.warn({ ...facts, err: error }, complaint);
      isFailing = true;
      return false;
    }
  };
  const turn = (): Promise<boolean> => {
    const next = running.then(attempt);
    running = next;
    return next;
  };
  const pause = async (ms: number): Promise<void> => {
    pausing = new AbortController();
    const { signal } = pausing;
    if (!isWoken && !stopping.signal.aborted)
      await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
    isWoken = false;
  };
  const loop = async (): Promise<void> => {
    await pause(options.firstPauseMs ?? pauseAfter(0));
    while (!stopping.signal.aborted) {
      const startMs = performance.now();
      const isMore = await turn();
      if (isMore) await nextTurn();
      else
        await pause(isFailing && retryMs !== undefined ? retryMs : pauseAfter(performance.now() - startMs));
    }
  };
  const wake = (): void => {
    isWoken = true;
    pausing.abort();
  };
  return {
    start() {
      looping = loop();
    },
    wake,
    run: async () => void (await turn()),
    async stop() {
      stopping.abort();
      wake();
      await looping;
      if (options.runsAtStop) await turn();
      await running;
    },
  };
}
