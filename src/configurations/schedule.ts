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
  return versions.find(
    ({ activeFromMs = Number.NEGATIVE_INFINITY, activeUntilMs = Number.POSITIVE_INFINITY }) => {
      return activeFromMs <= nowMs && nowMs < activeUntilMs;
    },
  );
}

/** Adds a version, newest first, and forgets those that can never be in force again. */
export function withVersion<T extends Scheduled>(versions: readonly T[], added: T): T[] {
  const others = versions.filter(({ version }) => version !== added.version);
  const all = [...others, added].sort((a, b) => b.version - a.version);
  const last = all.findIndex(
    ({ activeFromMs, activeUntilMs }) => activeFromMs === undefined && activeUntilMs === undefined,
  );
  return last < 0 ? all : all.slice(0, last + 1);
}
