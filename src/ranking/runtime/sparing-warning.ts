/**
 * A warning that an overload would repeat for each request. It is logged at once, then at most once
 * a second with the number of those left out, because a line per request would make the overload
 * worse.
 */

import type { Logger } from 'pino';

const pauseMs = 1_000;

/** @param nowMs A monotonic clock, in milliseconds. */
export function createSparingWarning(
  logger: Pick<Logger, 'warn'>,
  message: string,
  nowMs: () => number = () => performance.now(),
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
