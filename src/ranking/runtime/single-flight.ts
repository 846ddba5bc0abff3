/** Single-flight for work that must start after the call, such as catching up with a feed. */

/**
 * Returns a function that runs the work once at a time. Callers during a run share the next one,
 * and its failure.
 *
 * @param failsFast Whether a failed run also fails the callers that wait for the next one [false].
 *   For work against a silent database, where another attempt would take as long again.
 */
export function createSingleFlight(
  work: () => Promise<void>,
  { failsFast = false }: { failsFast?: boolean } = {},
): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    const run = work();
    current = run;
    run.catch(() => {
      if (current === run) current = Promise.resolve();
    });
    return run;
  };
  const fail = (error: unknown): Promise<void> => {
    if (!failsFast) return begin();
    next = undefined;
    throw error;
  };
  return () => {
    next ??= current.then(begin, fail);
    return next;
  };
}
