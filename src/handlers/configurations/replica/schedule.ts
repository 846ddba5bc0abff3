/**
 * Determines which version of a configuration is served.
 *
 * It is the newest version whose period includes the current time. A scheduled version leaves the
 * one before it served until it begins and after it ends. A version without a schedule replaces all
 * older ones.
 */

export type Scheduled = {
  version: number;
  /** Milliseconds since the epoch [since it was written]. */
  activeFromMs?: number;
  /** Milliseconds since the epoch [unlimited]. */
  activeUntilMs?: number;
};

/** Returns the served version. @param versions Versions of one configuration, newest first. */
export function inForce<T extends Scheduled>(versions: readonly T[], nowMs: number): T | undefined {
  return versions.find((version) => {
    const { fromMs, untilMs } = periodOf(version);
    return fromMs <= nowMs && nowMs < untilMs;
  });
}

/** Returns the next time at which a version begins or ends; Infinity if there is none. */
export function nextBoundary(versions: readonly Scheduled[], nowMs: number): number {
  const moments = versions.flatMap((version) => Object.values(periodOf(version)));
  return Math.min(...moments.filter((moment) => moment > nowMs), Number.POSITIVE_INFINITY);
}

/**
 * Adds a version, newest first, and drops versions that cannot be served any more: ended, or
 * replaced until their end.
 */
export function withVersion<T extends Scheduled>(versions: readonly T[], added: T, nowMs: number): T[] {
  const others = versions.filter(({ version }) => version !== added.version);
  const all = [...others, added].sort((a, b) => b.version - a.version);
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
