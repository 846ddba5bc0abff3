/** How a command ends: its exit code, and its failure on standard error. */

import { describeFailure } from './failure.ts';

/** `differences`: there is something to do, or to look at; `partial`: done, but some records were refused. */
export const exitCodes = { success: 0, failure: 1, differences: 2, partial: 3, interrupted: 130 } as const;

type Work = (signal: AbortSignal) => Promise<number>;

/**
 * Runs a command's work to its exit code; what it throws is described. Work that takes the signal puts things in order when
 * it is interrupted, or when what it prints goes nowhere. Any other ends there and then, but goes on without a reader: it may
 * have more to write than what it tells of.
 */
export async function conclude(work: Work): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const isOrderly = work.length > 0;
  if (isOrderly) process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const tell = tellOnce();
  process.stdout.on('error', (error) => {
    if (isReaderGone(error) && !isOrderly) return;
    tell(error);
    if (isOrderly) interrupt();
    else process.exit();
  });
  /** Nobody hears of it, and the work goes on. */
  process.stderr.on('error', () => undefined);
  try {
    const exitCode = await work(interruption.signal);
    process.exitCode ||= exitCode;
  } catch (error) {
    tell(error, interruption.signal.aborted);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function isReaderGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE';
}

/** Says the first of what went wrong, and ends with its exit code. A reader who has enough (`| head`) is no failure. */
function tellOnce() {
  let isTold = false;
  return (error: unknown, isInterrupted = false) => {
    if (isTold) return;
    isTold = true;
    if (isReaderGone(error)) return;
    process.exitCode = isInterrupted ? exitCodes.interrupted : exitCodes.failure;
    process.stderr.write(`${isInterrupted ? 'Interrupted.' : describeFailure(error)}\n`);
  };
}
