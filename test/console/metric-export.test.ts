/** The chart of metrics as CSV. */

import test from 'ava';
import { csvOf } from '../../src/console/metrics/export.ts';

test('escapes a series name that looks like a formula, and keeps numbers', (t) => {
  const lines = ['=1+1', 'home'].map((label, place) => ({ label, values: [-1.5, place] }));
  t.deepEqual(csvOf({ times: [0, 3_600], series: lines }).split('\r\n'), [
    "time,'=1+1,home",
    '1970-01-01T00:00:00.000Z,-1.5,-1.5',
    '1970-01-01T01:00:00.000Z,0,1',
  ]);
});
