/**
 * A warning that an overload would repeat for each request. It is logged at once, then after pauses
 * with the number of those left out, because a line per request would make the overload worse.
 */

import type { Logger } from 'pino';

type Options = {
  /** Milliseconds between two lines [1,000]. */
  pauseMs?: number;
  /** A monotonic clock, in milliseconds. */
  nowMs?: () => number;
};

export function createSparingWarning(
  logger: Pick<Logger, 'warn'>,
  message: string,
  { pauseMs = 1_000, nowMs = () => performance.now() }: Options = {},
): (facts: object) => void {
  let loggedMs = Number.NEGATIVE_INFINITY;
  let leftOutCount = 0;
  return (facts) => {
    if (nowMs() - loggedMs < pauseMs) {
      leftOutCount += 1;
      return;
    }
    loggedMs = nowMs();
    logger.warn(leftOutCount > 0 ? { ...facts, left_out: leftOutCount } : facts, message);
    leftOutCount = 0;
  };
}
