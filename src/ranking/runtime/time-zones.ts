/** Local times of IANA time zones. A local time is in milliseconds, as if the zone were UTC. */

export const dayMs = 86_400_000;

/** Times beyond have no date. */
const mostMs = 8.64e15;

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown zone. */
export function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}

/** Offset of the local time, such as 3,600,000 for `GMT+01:00`. */
function offsetMs(instantMs: number, timeZone: string): number {
  if (timeZone === 'UTC' || !(Math.abs(instantMs) <= mostMs)) return 0;
  const text = formatOf(timeZone).format(instantMs);
  const [, sign, hours, minutes, seconds = '0'] = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (!sign) return 0;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -offset : offset) * 1_000;
}

export const localOf = (instantMs: number, timeZone: string): number =>
  instantMs + offsetMs(instantMs, timeZone);

/** Returns the calendar day of an instant, in days since 1970. */
export const localDayOf = (instantMs: number, timeZone: string): number =>
  Math.floor(localOf(instantMs, timeZone) / dayMs);

/**
 * Returns the first instant with the local time. A time that the change to summer time skips means
 * as much later: 02:30 is 03:30 on that day.
 */
export function instantOf(localMs: number, timeZone: string): number {
  const before = localMs - offsetMs(localMs - dayMs, timeZone);
  const after = localMs - offsetMs(localMs + dayMs, timeZone);
  const [first, last] = before < after ? [before, after] : [after, before];
  if (localOf(first, timeZone) === localMs) return first;
  return localOf(last, timeZone) === localMs ? last : before;
}

/** Returns the first instant of the calendar day that is `days` after that of the instant. */
export function startOfDay(instantMs: number, timeZone: string, days = 0): number {
  return instantOf((localDayOf(instantMs, timeZone) + days) * dayMs, timeZone);
}

/**
 * Returns the latest instant, not after now, at one of the times of day; undefined without times.
 * A time that occurs twice on a day means the first one.
 * @param timesOfDay Minutes after midnight.
 */
export function latestTimeOfDay(
  timesOfDay: readonly number[],
  nowMs: number,
  timeZone: string,
): number | undefined {
  const today = localDayOf(nowMs, timeZone);
  const instants = [today - 1, today].flatMap((day) =>
    timesOfDay.map((minutes) => instantOf(day * dayMs + minutes * 60_000, timeZone)),
  );
  const past = instants.filter((instant) => instant <= nowMs);
  return past.length > 0 ? Math.max(...past) : undefined;
}
