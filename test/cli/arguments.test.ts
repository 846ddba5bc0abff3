import test from 'ava';
import { parseCount, parseMoment } from '../../src/cli/arguments.ts';

const read: [text: string, moment: string][] = [
  ['2026-11', '2026-11-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-03-29T02', '2026-03-29T02:00:00.000Z'],
  ['2026-03-29T02:30', '2026-03-29T02:30:00.000Z'],
  ['2026-10-25 02:30:15', '2026-10-25T02:30:15.000Z'],
  ['2026-10-25T02:30:15.5z', '2026-10-25T02:30:15.500Z'],
  ['2026-10-25T02:30:00+02:00', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T02:30-0330', '2026-10-25T06:00:00.000Z'],
];

for (const zone of ['UTC', 'Asia/Kolkata', 'Europe/Berlin']) {
  test.serial(`a time without an offset is UTC in ${zone}`, (t) => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      for (const [text, moment] of read) t.is(parseMoment(text).toISOString(), moment, text);
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });
}

for (const text of [
  '',
  'yesterday',
  '2026-13-45',
  '7',
  '12',
  'day 3',
  '2026',
  '2026-02-30',
  '2025-02-29',
  '2026-11-20T25:00',
  '2026-11T09:00',
])
  test(`${text} is not a time`, (t) => {
    t.throws(() => parseMoment(text), { message: /^It must be a time such as/ });
  });

test('a count is a whole number from 1', (t) => {
  t.is(parseCount('12'), 12);
  for (const text of ['0', '-1', '1.5', '1e3', ' 1', 'all']) t.throws(() => parseCount(text));
});
