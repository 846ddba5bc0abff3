/** The chart of metrics as CSV. */

import test from 'ava';
import { csvOf } from '../../src/console/metrics/export.ts';

test('escapes a series name that looks like a formula, and keeps numbers', (t) => {
  const rows = ['=1+1', 'home'].map((label, place) => ({ label, parts: [[-1.5, place]] }));
  t.deepEqual(csvOf({ times: [0, 3_600], rows, partLabels: [] }).split('\r\n'), [
    "time,'=1+1,home",
    '1970-01-01T00:00:00.000Z,-1.5,-1.5',
    '1970-01-01T01:00:00.000Z,0,1',
  ]);
});

test('a compared rate has both values with their parts, the difference and the change in percent', (t) => {
  const parts = [
    [3, 1],
    [10, 0],
  ];
  const earlier = [
    [2, 1],
    [10, 10],
  ];
  const csv = csvOf({
    times: [0, 86_400],
    rows: [{ label: 'home', parts, earlier }],
    partLabels: ['Clicks', 'Impressions'],
  });
  t.deepEqual(csv.split('\r\n'), [
    'time,home,"home, Clicks","home, Impressions","home, previous period","home, previous period, Clicks",' +
      '"home, previous period, Impressions","home, difference","home, change in %"',
    '1970-01-01T00:00:00.000Z,0.3,3,10,0.2,2,10,0.1,50',
    '1970-01-02T00:00:00.000Z,,1,0,0.1,1,10,,',
  ]);
});
