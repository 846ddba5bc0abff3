/** How a command ends: its exit code, and its failure on standard error. */

import { describeFailure } from './failure.ts';

/** `differences`: there is something to do, or to look at; `partial`: done, but some records were refused. */
export const exitCodes = { success: 0, failure: 1, differences: 2, partial: 3, interrupted: 130 } as const;

/** Runs a command's work to its exit code; what it throws is described. A reader who has enough (`| head`) is no failure. */
export async function conclude(work: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    process.exitCode = await work(interruption.signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    const { aborted } = interruption.signal;
    process.stderr.write(`${aborted ? 'Interrupted.' : describeFailure(error)}\n`);
    process.exitCode = aborted ? exitCodes.interrupted : exitCodes.failure;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
