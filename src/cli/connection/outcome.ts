/** How a command ends: its exit code, and its failure on standard error. */

import { describeFailure } from './failure.ts';

/** `differences`: there is something to do or to look at; `partial`: done, but some records were refused. */
export const exitCodes = { success: 0, failure: 1, differences: 2, partial: 3, interrupted: 130 } as const;

/** The exit code of a command; 0 when the work returns none. */
// biome-ignore lint/suspicious/noConfusingVoidType: most work has no exit code of its own.
export type ExitCode = number | void;

/**
 * Runs a command's work to its exit code and describes what it throws. A signal ends the process at once. When the
 * reader of standard output leaves (`| head`), the work goes on: it may write more than it prints.
 */
export function conclude(work: () => Promise<ExitCode>): Promise<void> {
  const report = createReport();
  process.stdout.on('error', (error) => {
    if (isReaderGone(error)) return;
    report(error);
    process.exit();
  });
  return run(work, report);
}

/** The same for work that cleans up when a signal interrupts it, or when its output cannot be written. */
export async function concludeInterruptible(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const report = createReport();
  process.stdout.on('error', (error) => {
    report(error);
    interrupt();
  });
  try {
    await run(
      () => work(interruption.signal),
      (error) => report(error, interruption.signal.aborted),
    );
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function run(work: () => Promise<ExitCode>, report: (error: unknown) => void): Promise<void> {
  /** Progress is not worth a failure. */
  process.stderr.on('error', () => undefined);
  try {
    const exitCode = (await work()) ?? exitCodes.success;
    process.exitCode ||= exitCode;
  } catch (error) {
    report(error);
  }
}

function isReaderGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE';
}

/** Reports the first failure and sets its exit code. A closed output is no failure. */
function createReport() {
  let hasReported = false;
  return (error: unknown, isInterrupted = false) => {
    if (hasReported) return;
    hasReported = true;
    if (isReaderGone(error)) return;
    process.exitCode = isInterrupted ? exitCodes.interrupted : exitCodes.failure;
    process.stderr.write(`${isInterrupted ? 'Interrupted.' : describeFailure(error)}\n`);
  };
}
