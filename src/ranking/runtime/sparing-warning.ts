/**
 * A warning that an overload would repeat for every request: told at once, then at most once a second, with how many were left
 * out. Writing a line for each would make an overload worse.
 */

import type { Logger } from 'pino';

const pauseMs = 1_000;

/** @param nowMs Of a clock that never goes back. */
export function createSparingWarning(
  logger: Pick<Logger, 'warn'>,
  message: string,
  nowMs: () => number = () => performance.now(),
): (facts: object) => void {
  let toldMs = Number.NEGATIVE_INFINITY;
  let leftOutCount = 0;
  return (facts) => {
    if (nowMs() - toldMs < pauseMs) {
      leftOutCount += 1;
      return;
    }
    toldMs = nowMs();
    logger.warn(leftOutCount > 0 ? { ...facts, left_out: leftOutCount } : facts, message);
    leftOutCount = 0;
  };
}
