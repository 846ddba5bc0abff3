/** Local times of input fields: `2026-11-27T08:00`. */

import { instantOf, localOf } from '../../../ranking/runtime/time-zones.ts';

/** Limits years to four digits, so that the browser moves on to the hour after the fourth. */
export const lastMoment = '9999-12-31T23:59';

/** @param localMs Milliseconds as if the zone were UTC. */
const textOf = (localMs: number): string => new Date(localMs).toISOString().slice(0, lastMoment.length);

/** Returns the local time of a timestamp; empty while it is typed, in the JSON of the rule set. */
export function localText(timestamp: string, timeZone: string): string {
  const instantMs = Date.parse(timestamp);
  return Number.isNaN(instantMs) ? '' : textOf(localOf(instantMs, timeZone));
}

/** Adds the offset of the time zone. */
export function withOffset(local: string, timeZone: string): string {
  const instantMs = instantOf(Date.parse(`${local}Z`), timeZone);
  const localMs = localOf(instantMs, timeZone);
  const offsetMs = localMs - instantMs;
  return `${textOf(localMs)}:00${offsetMs < 0 ? '-' : '+'}${textOf(Math.abs(offsetMs)).slice(11)}`;
}
