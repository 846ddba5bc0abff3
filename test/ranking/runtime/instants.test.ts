import test from 'ava';
import { instantText, parseInstant } from '../../../src/ranking/runtime/instants.ts';

for (const [text, expected] of [
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2024-02-29T10:00:00Z', Date.UTC(2024, 1, 29, 10)],
  ['2024-02-29t10:00:00.5z', Date.UTC(2024, 1, 29, 10, 0, 0, 500)],
  ['2024-02-29T10:00+01:00', Date.UTC(2024, 1, 29, 9)],
  ['2024-02-29T10:00:00+01', Date.UTC(2024, 1, 29, 9)],
  ['2024-02-29 10:00:00.1239-0530', Date.UTC(2024, 1, 29, 15, 30, 0, 123)],
  ['0001-01-01T00:00:00Z', -62_135_596_800_000],
  ['2024-02-29T10:00:00', Number.NaN],
  ['2024-02-29T10:00:00+24', Number.NaN],
  ['2024-02-29T24:00:00Z', Number.NaN],
  ['2024-02-29T10:60Z', Number.NaN],
  ['2024-00-10', Number.NaN],
  ['2024-13-01', Number.NaN],
  ['2024-04-31', Number.NaN],
  ['2023-02-29T10:00:00Z', Number.NaN],
  ['yesterday', Number.NaN],
  ['5', Number.NaN],
] as const) {
  test(`${text} is parsed as ${expected}`, (t) => t.is(parseInstant(text), expected));
}

for (const [text, expected] of [
  ['2024-02-29T10:00:00+01:00', '2024-02-29T09:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59-05:00', '9999-12-31T05:00:59.000-23:59'],
  ['9999-12-31T23:59:59.999-23:59', '9999-12-31T23:59:59.999-23:59'],
] as const)
  test(`${text} is formatted as ${expected}, which is parsed as the same instant`, (t) => {
    t.is(instantText(parseInstant(text)), expected);
    t.is(parseInstant(expected), parseInstant(text));
  });
