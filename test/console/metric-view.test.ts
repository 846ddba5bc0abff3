/** Steps of the metrics page: calendar days of a time zone. */

import test from 'ava';
import { readView, stepAt } from '../../src/console/metrics/view.ts';

const secondsAt = (text: string) => Date.parse(text) / 1_000;
const textOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 16);

test('days begin at midnight of the zone, and the last one ends with the current hour', (t) => {
  for (const timeZone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York']) {
    const { edges, from, to, earlierEdges } = readView({ range: '28d' }, timeZone);
    const clock = new Intl.DateTimeFormat('de', { timeZone, timeStyle: 'short' });
    t.is(edges.length, 29);
    t.deepEqual([from, to], [edges[0], edges[28]]);
    for (const edge of [...edges.slice(0, -1), ...earlierEdges.slice(0, -1)])
      t.is(clock.format(edge * 1_000), '00:00', timeZone);
    t.is(readView({ range: '24h' }, timeZone).edges.length, 25);
  }
});

test('a day on which clocks change has 23 hours, and its hours count in it', (t) => {
  const [from, to] = ['2026-03-28T23:00Z', '2026-03-30T22:00Z'].map((time) => `${secondsAt(time)}`);
  const { edges, earlierEdges } = readView({ from, to, step: 'day' }, 'Europe/Berlin');
  t.deepEqual(edges.map(textOf), ['2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00']);
  t.deepEqual(earlierEdges.map(textOf), ['2026-03-26T23:00', '2026-03-27T23:00', '2026-03-28T23:00']);
  const hours = ['2026-03-28T22:00Z', '2026-03-28T23:00Z', '2026-03-29T21:00Z', '2026-03-29T22:00Z'];
  t.deepEqual(
    hours.map((hour) => stepAt(edges, secondsAt(hour))),
    [-1, 0, 0, 1],
  );
});

test('a distinct count is not split by segments, which it does not have', (t) => {
  t.is(readView({ metric: 'clicks', by: 'segments.device_class' }).by, 'segments.device_class');
  t.is(readView({ metric: 'devices', by: 'segments.device_class' }).by, '');
  t.is(readView({ metric: 'devices', by: 'page_type' }).by, 'page_type');
});
