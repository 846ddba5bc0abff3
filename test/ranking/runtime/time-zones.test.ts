/** Local times and calendar days of time zones, with the days on which clocks change. */

import test from 'ava';
import {
  dayMs,
  instantOf,
  latestTimeOfDay,
  localOf,
  startOfDay,
} from '../../../src/ranking/runtime/time-zones.ts';
import { fc } from '../../support/properties.ts';

const at = (text: string) => Date.parse(text);

for (const [zone, instant, start] of [
  ['UTC', '2026-11-28T23:59:59Z', '2026-11-28T00:00:00Z'],
  ['Europe/Berlin', '2026-11-28T22:59:59Z', '2026-11-27T23:00:00Z'],
  ['Europe/Berlin', '2026-11-28T23:00:00Z', '2026-11-28T23:00:00Z'],
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z'],
  ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z'],
  ['Asia/Kolkata', '2026-11-28T18:29:59Z', '2026-11-27T18:30:00Z'],
  ['America/Los_Angeles', '2026-11-28T07:00:00Z', '2026-11-27T08:00:00Z'],
  ['Pacific/Kiritimati', '2026-11-28T10:00:00Z', '2026-11-28T10:00:00Z'],
  /** Midnight does not exist: clocks move from 23:59:59 to 01:00. */
  ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00Z'],
  /** Midnight exists twice: clocks move from 00:59:59 to 00:00. */
  ['America/Havana', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00Z'],
] as const) {
  test(`the day of ${instant} begins at ${start} in ${zone}`, (t) => {
    t.is(startOfDay(at(instant), zone), at(start));
  });
}

test('days of 23 and 25 hours are calendar days', (t) => {
  const hours = (day: string) =>
    (startOfDay(at(day), 'Europe/Berlin', 1) - startOfDay(at(day), 'Europe/Berlin')) / 3_600_000;
  t.deepEqual(
    ['2026-03-29T12:00:00Z', '2026-10-25T12:00:00Z', '2026-11-28T12:00:00Z'].map(hours),
    [23, 25, 24],
  );
});

test('a skipped time of day is later, and a repeated one is the first', (t) => {
  const half3 = [150];
  const berlin = (now: string) => latestTimeOfDay(half3, at(now), 'Europe/Berlin');
  t.is(berlin('2026-03-29T12:00:00Z'), at('2026-03-29T01:30:00Z'));
  t.is(berlin('2026-10-25T12:00:00Z'), at('2026-10-25T00:30:00Z'));
  t.is(berlin('2026-10-25T00:29:00Z'), at('2026-10-24T00:30:00Z'));
  t.is(latestTimeOfDay([], 0, 'UTC'), undefined);
});

test('a local time that exists is that of its instant, and days follow one another', (t) => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const instants = fc.integer({ min: at('2012-01-01'), max: at('2037-01-01') });
  fc.assert(
    fc.property(zones, instants, (zone, instant) => {
      const local = localOf(instant, zone);
      t.is(localOf(instantOf(local, zone), zone), local);
      const [start, next] = [startOfDay(instant, zone), startOfDay(instant, zone, 1)];
      t.true(start <= instant && instant < next && next - start <= 2 * dayMs, `${zone} ${instant}`);
    }),
    { numRuns: 300 },
  );
});

test('times beyond the last date are taken as UTC', (t) => {
  t.is(startOfDay(9e15, 'Europe/Berlin'), Math.floor(9e15 / dayMs) * dayMs);
});
