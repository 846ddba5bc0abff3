/** Moments of conditions: `now-72h`, `now/d`, an RFC 3339 timestamp or a date. */
import { parseInstant } from '../catalog/instants.ts';
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
 * Parses a relative moment: any number of offsets and one rounding down (UTC), before or after
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
  return Number.isNaN(at) ? parseRelativeMoment(text) : { at };
}

/** Milliseconds since the epoch. */
export function resolveMoment(moment: Moment, nowMs: number): number {
  if ('at' in moment) return moment.at;
  const stepMs = moment.floor ? floorMs[moment.floor] : 1;
  return Math.floor(nowMs / stepMs) * stepMs + moment.offsetMs;
}

/** Tells whether the moment changes every minute, so that results are not worth caching. */
export function movesWithClock(moment: Moment): boolean {
  return !('at' in moment) && (moment.floor === undefined || moment.floor === 'minute');
}
