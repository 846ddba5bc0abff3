/**
 * Which version of a configuration is in force.
 *
 * It is the newest one whose time has come and has not ended. So a scheduled version leaves the one before it in force until its
 * moment, and gives the place back when it ends. A version without a schedule hides all older ones for ever.
 */

export type Scheduled = {
  version: number;
  /** Milliseconds since the epoch; absent: since it was written. */
  activeFromMs?: number;
  /** Absent: for ever. */
  activeUntilMs?: number;
};

/** The version in force among those of one configuration, newest first. */
export function inForce<T extends Scheduled>(versions: readonly T[], nowMs: number): T | undefined {
  return versions.find((version) => {
    const { fromMs, untilMs } = periodOf(version);
    return fromMs <= nowMs && nowMs < untilMs;
  });
}

/** The next moment after now at which one of them begins or ends; Infinity when there is none. */
export function nextBoundary(versions: readonly Scheduled[], nowMs: number): number {
  const moments = versions.flatMap((version) => Object.values(periodOf(version)));
  return Math.min(...moments.filter((moment) => moment > nowMs), Number.POSITIVE_INFINITY);
}

/** Adds a version, newest first, and forgets those that can never be in force again: ended, or hidden till their end. */
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
