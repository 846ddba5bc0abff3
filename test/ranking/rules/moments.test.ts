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
  test(`${text} is a moment`, (t) => t.is(resolveMoment(parseMoment(text)!, nowMs), expected));
}

for (const text of ['', 'later', 'now/y', 'now-5', 'now-1h/d', 'now/d-1d/d', 'now-9999999d']) {
  test(`"${text}" is not a moment`, (t) => t.is(parseMoment(text), undefined));
}

test('a fixed moment is not relative', (t) => t.is(parseRelativeMoment('2024-01-02'), undefined));
