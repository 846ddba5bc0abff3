/**
 * Follows one call until both its work and its answer have ended. They end at different moments: a caller may go while the
 * work goes on, and may read its answer long after the work is done.
 */

export type CallLifetime = {
  /** Aborted when the answer can no longer be taken while work goes on: the caller has gone, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** Whether everything has ended. */
  readonly isOver: boolean;
  /** Marks the start of a part of the work. Returns false when everything has ended: nobody waits for it any more. */
  begin(): boolean;
  /** Marks the end of that part. */
  end(): void;
  /** Marks that the answer was taken or can no longer be. Further calls have no effect. */
  answerEnded(): void;
};

/** @param release Called once, when the answer has ended and no work is under way: gives back what the caller holds. */
export function createCallLifetime(release: () => void): CallLifetime {
  /** Made on demand: most calls end without anybody having asked for the signal. */
  let controller: AbortController | undefined;
  let workCount = 0;
  let isAnswerOver = false;
  let isAborted = false;

  return {
    get signal() {
      controller ??= new AbortController();
      if (isAborted) controller.abort();
      return controller.signal;
    },
    get isOver() {
      return isAnswerOver && workCount === 0;
    },
    begin() {
      if (isAnswerOver && workCount === 0) return false;
      workCount += 1;
      return true;
    },
    end() {
      workCount -= 1;
      if (isAnswerOver && workCount === 0) release();
    },
    answerEnded() {
      if (isAnswerOver) return;
      isAnswerOver = true;
      if (workCount === 0) return release();
      isAborted = true;
      controller?.abort();
    },
  };
}
