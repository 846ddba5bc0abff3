/**
 * Work that comes back: it runs after a pause, never beside itself, and never rejects. A failure is told once, until
 * it goes on, and tried again.
 */

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';

export type Periodic = {
  /** The first run comes after the first pause. */
  start(): void;
  /** Ends the pause that is under way, or the next one. */
  wake(): void;
  /** Runs now, or after the run that is under way; resolves at its end, whatever came of it. */
  run(): Promise<void>;
  /** Resolves when nothing runs any more; a run under way hears of it by its signal. */
  stop(): Promise<void>;
};

export type PeriodicOptions = {
  /**
   * One run; `again` when there is more to do at once. It is a word, as what a statement happens to tell would else be
   * taken for it.
   */
  work(signal: AbortSignal): Promise<unknown>;
  /** From the end of a run to the next one, also by how long that run took. */
  pauseMs: number | ((tookMs: number) => number);
  /** Before the first run [pauseMs, of a run that took no time]. */
  firstPauseMs?: number;
  /** After a run that failed [pauseMs]. */
  retryMs?: number;
  /** Run once more at the stop, so that what is held back is not lost [false]. */
  runsAtStop?: boolean;
  /** What is said of a failure, e.g. `Cannot follow the database; serving what is known.` */
  complaint: string;
  /** What is told with it. */
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
      if (isFailing) logger.info?.({ ...facts }, `It goes on, after: ${complaint}`);
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
