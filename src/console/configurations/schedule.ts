/** Whether a version is in force, was, or will be. */

type Scheduled = { activeFrom?: string; activeUntil?: string };

export type Schedule = { label: string; color: string; moment?: Date };

export function scheduleOf({ activeFrom, activeUntil }: Scheduled, now = new Date()): Schedule {
  const from = activeFrom ? new Date(activeFrom) : undefined;
  const until = activeUntil ? new Date(activeUntil) : undefined;
  if (from && from > now) return { label: 'Scheduled', color: 'blue', moment: from };
  if (until && until <= now) return { label: 'Ended', color: 'gray', moment: until };
  return until
    ? { label: 'In force until', color: 'green', moment: until }
    : { label: 'In force', color: 'green' };
}

/** A list can name it now. */
export function isInForce({ activeFrom, activeUntil }: Scheduled, now = Date.now()): boolean {
  return !(activeFrom && Date.parse(activeFrom) > now) && !(activeUntil && Date.parse(activeUntil) <= now);
}

export type Period = { from?: Date; until?: Date };

/** When a version is in force; undefined for one without a schedule. */
export function periodOf({ activeFrom, activeUntil }: Scheduled): Period | undefined {
  if (!activeFrom && !activeUntil) return undefined;
  return {
    from: activeFrom ? new Date(activeFrom) : undefined,
    until: activeUntil ? new Date(activeUntil) : undefined,
  };
}

/** Whether the two have a moment in common. */
export function periodIn({ from, until }: Period, first: Date, end: Date): boolean {
  return (!from || from < end) && (!until || until > first);
}
