import test from 'ava';
import { localText, withOffset } from '../../src/console/configurations/editor/local-times.ts';

for (const [local, zone, timestamp] of [
  ['2026-11-27T08:00', 'Europe/Berlin', '2026-11-27T08:00:00+01:00'],
  ['2026-07-01T08:00', 'America/New_York', '2026-07-01T08:00:00-04:00'],
  ['0002-01-01T08:00', 'UTC', '0002-01-01T08:00:00+00:00'],
] as const)
  test(`${local} in ${zone} is ${timestamp}`, (t) => {
    t.is(withOffset(local, zone), timestamp);
    t.is(localText(timestamp, zone), local);
  });

test('text that is no timestamp leaves the field empty', (t) => {
  for (const text of ['x', '2026-11-27T', '2026-02-30T25:00:00Z']) t.is(localText(text, 'Europe/Berlin'), '');
});
