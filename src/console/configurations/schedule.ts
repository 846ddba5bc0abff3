/** Schedule of a version: live, planned or ended. */

import { localOf } from '../../ranking/runtime/time-zones.ts';

type Scheduled = { activeFrom?: string; activeUntil?: string };

export type Period = { from?: Date; until?: Date };

export const periodOf = ({ activeFrom, activeUntil }: Scheduled): Period => ({
  from: activeFrom ? new Date(activeFrom) : undefined,
  until: activeUntil ? new Date(activeUntil) : undefined,
});

/** Returns a period in local times, as if the zone were UTC. */
export function localPeriodOf({ from, until }: Period, timeZone: string): Period {
  const local = (moment?: Date) => moment && new Date(localOf(moment.getTime(), timeZone));
  return { from: local(from), until: local(until) };
}

export type Schedule = { label: string; color: string; moment?: Date };

export function scheduleOf(scheduled: Scheduled, now = new Date()): Schedule {
  const { from, until } = periodOf(scheduled);
  if (from && from > now) return { label: 'Scheduled', color: 'blue', moment: from };
  if (until && until <= now) return { label: 'Ended', color: 'gray', moment: until };
  return until ? { label: 'Live until', color: 'green', moment: until } : { label: 'Live', color: 'green' };
}

/** Whether requests can use it now. */
export function isLive(scheduled: Scheduled, now = new Date()): boolean {
  const { from, until } = periodOf(scheduled);
  return !(from && from > now) && !(until && until <= now);
}

/** Whether a period overlaps an interval. */
export const overlaps = ({ from, until }: Period, start: Date, end: Date): boolean =>
  (!from || from < end) && (!until || until > start);
