/**
 * One run after the other; who comes while one is under way shares the next, or its failure: that took long
 * where the database is silent, and another try would take as long again.
 */
export function shareRuns(work: () => Promise<void>): () => Promise<void> {
  /** The one under way; whoever comes when it has failed begins anew. */
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = () => {
    next = undefined;
    const run = work();
    current = run;
    run.catch(() => {
      if (current === run) current = Promise.resolve();
    });
    return run;
  };
  const fail = (error: unknown) => {
    next = undefined;
    throw error;
  };
  return () => {
    next ??= current.then(begin, fail);
    return next;
  };
}
