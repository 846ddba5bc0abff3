/** Moments of conditions: `now-72h`, `now/d`, an RFC 3339 timestamp or a date. */
import { isDay, parseInstant } from '../runtime/instants.ts';
import { instantOf, localOf } from '../runtime/time-zones.ts';
import type { Moment } from './types.ts';

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const floors = { m: 'minute', h: 'hour', d: 'day' } as const;

const floorMs = { minute: unitMs.m, hour: unitMs.h, day: unitMs.d };

const relativePattern = /^now(?:\/([mhd]))?((?:[+-]\d{1,6}[smhdw])*)(?:\/([mhd]))?$/;

/**
 * Parses a relative moment: any number of offsets and one rounding down, before or after
 * them. Rounding after the offsets is accepted only for offsets of whole units, where the order
 * does not matter.
 */
export function parseRelativeMoment(text: string): Moment | undefined {
  const parts = relativePattern.exec(text);
  if (!parts || (parts[1] && parts[3])) return undefined;
  let offsetMs = 0;
  for (const [, sign, amount, unit] of parts[2].matchAll(/([+-])(\d+)([smhdw])/g)) {
    offsetMs += (sign === '-' ? -1 : 1) * Number(amount) * unitMs[unit];
  }
  const letter = (parts[1] ?? parts[3]) as keyof typeof floors | undefined;
  if (!letter) return { offsetMs };
  return parts[3] && offsetMs % unitMs[letter] !== 0 ? undefined : { offsetMs, floor: floors[letter] };
}

/** Parses a fixed or relative moment. */
export function parseMoment(text: string): Moment | undefined {
  const at = parseInstant(text);
  if (Number.isNaN(at)) return parseRelativeMoment(text);
  return isDay(text) ? { date: at } : { at };
}

/**
 * Returns milliseconds since the epoch. Offsets from a day are local time: `now/d-7d` is midnight,
 * also after a change of the clocks.
 */
export function resolveMoment(moment: Moment, nowMs: number, timeZone: string): number {
  if ('at' in moment) return moment.at;
  if ('date' in moment) return instantOf(moment.date, timeZone);
  const { floor, offsetMs } = moment;
  if (!floor) return nowMs + offsetMs;
  const localMs = localOf(nowMs, timeZone);
  const floored = Math.floor(localMs / floorMs[floor]) * floorMs[floor];
  return floor === 'day' ? instantOf(floored + offsetMs, timeZone) : nowMs - localMs + floored + offsetMs;
}

/** Whether the moment depends on the current time. */
export const isRelative = (moment: Moment): moment is Extract<Moment, { offsetMs: number }> =>
  'offsetMs' in moment;

/** Tells whether the moment changes every minute, so that results are not worth caching. */
export function movesWithClock(moment: Moment): boolean {
  return isRelative(moment) && (moment.floor === undefined || moment.floor === 'minute');
}
