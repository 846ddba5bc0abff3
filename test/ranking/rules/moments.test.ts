import test from 'ava';
import { parseMoment, parseRelativeMoment, resolveMoment } from '../../../src/ranking/rules/moments.ts';

const nowMs = Date.UTC(2024, 2, 10, 13, 45, 30, 250);

for (const [text, expected] of [
  ['now', nowMs],
  ['now-72h', nowMs - 72 * 3_600_000],
  ['now+1w-2d', nowMs + 5 * 86_400_000],
  ['now/d', Date.UTC(2024, 2, 10)],
  ['now/h', Date.UTC(2024, 2, 10, 13)],
  ['now/m', Date.UTC(2024, 2, 10, 13, 45)],
  ['now/d-36h', Date.UTC(2024, 2, 8, 12)],
  ['now-7d/d', Date.UTC(2024, 2, 3)],
  ['2024-01-02', Date.UTC(2024, 0, 2)],
] as const) {
  test(`${text} is a moment`, (t) => t.is(resolveMoment(parseMoment(text)!, nowMs, 'UTC'), expected));
}

for (const [text, zone, now, expected] of [
  ['now/d', 'Europe/Berlin', '2026-11-28T23:30:00Z', '2026-11-28T23:00:00Z'],
  ['now/d-7d', 'Europe/Berlin', '2026-03-31T12:00:00Z', '2026-03-23T23:00:00Z'],
  ['now/d+8h', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-25T07:00:00Z'],
  ['now/h', 'Asia/Kolkata', '2026-11-28T12:45:00Z', '2026-11-28T12:30:00Z'],
  ['now-24h', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T12:00:00Z'],
  ['2026-11-28', 'America/New_York', '2026-11-28T12:00:00Z', '2026-11-28T05:00:00Z'],
  ['2026-11-28T00:00:00Z', 'America/New_York', '2026-11-28T12:00:00Z', '2026-11-28T00:00:00Z'],
] as const) {
  test(`${text} in ${zone} at ${now}`, (t) => {
    const resolved = resolveMoment(parseMoment(text)!, Date.parse(now), zone);
    t.is(new Date(resolved).toISOString(), expected.replace('Z', '.000Z'));
  });
}

for (const text of ['', 'later', 'now/y', 'now-5', 'now-1h/d', 'now/d-1d/d', 'now-9999999d']) {
  test(`"${text}" is not a moment`, (t) => t.is(parseMoment(text), undefined));
}

test('a fixed moment is not relative', (t) => t.is(parseRelativeMoment('2024-01-02'), undefined));
