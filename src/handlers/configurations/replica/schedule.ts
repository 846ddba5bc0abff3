/**
 * Finds the version of a configuration that is in force: the newest one with a period that includes
 * now.
 *
 * A scheduled version leaves the one before it in force until it begins and after it ends. A
 * version without a schedule hides all older ones.
 */

export type Scheduled = {
  version: number;
  /** Milliseconds since the epoch [since it was written]. */
  activeFromMs?: number;
  /** [unlimited] */
  activeUntilMs?: number;
};

/** Finds the version in force. @param versions Of one configuration, newest first. */
export function inForce<T extends Scheduled>(versions: readonly T[], nowMs: number): T | undefined {
  return versions.find((version) => {
    const { fromMs, untilMs } = periodOf(version);
    return fromMs <= nowMs && nowMs < untilMs;
  });
}

/** Returns the next time after now when a version begins or ends; Infinity without one. */
export function nextBoundary(versions: readonly Scheduled[], nowMs: number): number {
  const moments = versions.flatMap((version) => Object.values(periodOf(version)));
  return Math.min(...moments.filter((moment) => moment > nowMs), Number.POSITIVE_INFINITY);
}

/** Adds a version, newest first; drops those that can never be in force again. */
export function withVersion<T extends Scheduled>(versions: readonly T[], added: T, nowMs: number): T[] {
  const others = versions.filter(({ version }) => version !== added.version);
  return stillNeeded(
    [...others, added].sort((a, b) => b.version - a.version),
    nowMs,
  );
}

/** Keeps the versions that can be in force now or later. @param all Newest first. */
export function stillNeeded<T extends Scheduled>(all: readonly T[], nowMs: number): T[] {
  return all.filter((version, place) => {
    const { fromMs, untilMs } = periodOf(version);
    const hides = (newer: Scheduled) => {
      const period = periodOf(newer);
      return period.fromMs <= Math.max(fromMs, nowMs) && untilMs <= period.untilMs;
    };
    return untilMs > nowMs && !all.slice(0, place).some(hides);
  });
}

function periodOf({ activeFromMs, activeUntilMs }: Scheduled): { fromMs: number; untilMs: number } {
  return {
    fromMs: activeFromMs ?? Number.NEGATIVE_INFINITY,
    untilMs: activeUntilMs ?? Number.POSITIVE_INFINITY,
  };
}
