import type { Faults } from './convert-server.ts';

/** Minutes after midnight, UTC, of times like `03:30`. */
export function readTimesOfDay(times: readonly string[], pointer: string, fault: Faults): number[] {
  return times.map((time, place) => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
    if (hours === undefined) fault(`${pointer}/${place}`, 'Must be a time of day, 00:00 to 23:59.');
    return 60 * Number(hours) + Number(minutes);
  });
}
