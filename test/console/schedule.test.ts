/** Periods of rule sets on the calendar, which shows the environment's days. */
import test from 'ava';
import { localPeriodOf, overlaps } from '../../src/console/configurations/schedule.ts';

const november = [new Date('2026-11-01T00:00Z'), new Date('2026-12-01T00:00Z')] as const;

for (const [timeZone, isShown] of [
  ['UTC', true],
  ['Europe/Berlin', false],
  ['America/New_York', true],
] as const)
  test(`a period from the evening of 30 November in UTC ${isShown ? 'begins' : 'does not begin'} in November of ${timeZone}`, (t) => {
    const period = { from: new Date('2026-11-30T23:30:00Z') };
    t.is(overlaps(localPeriodOf(period, timeZone), ...november), isShown);
  });
