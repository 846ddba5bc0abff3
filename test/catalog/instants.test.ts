import test from 'ava';
import { parseInstant } from '../../src/catalog/instants.ts';

for (const [text, expected] of [
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2024-02-29T10:00:00Z', Date.UTC(2024, 1, 29, 10)],
  ['2024-02-29t10:00:00.5z', Date.UTC(2024, 1, 29, 10, 0, 0, 500)],
  ['2024-02-29T10:00+01:00', Date.UTC(2024, 1, 29, 9)],
  ['2024-02-29T10:00:00', Number.NaN],
  ['2024-13-01', Number.NaN],
  ['2024-04-31', Number.NaN],
  ['2023-02-29T10:00:00Z', Number.NaN],
  ['yesterday', Number.NaN],
  ['5', Number.NaN],
] as const) {
  test(`${text} is read as ${expected}`, (t) => t.is(parseInstant(text), expected));
}
