/** The segments of an event or request as text that the database reads as JSON. */

import test from 'ava';
import { segmentsText } from '../../../src/repository/metrics/metric-dimensions.ts';

test('declared properties are kept as texts, in order; others, empty and structured ones are left out', (t) => {
  const names = ['a', 'b', 'c', 'constructor', 'd', 'toString'];
  const facts = { d: true, c: '', b: 7, a: 'x', other: 'y', constructor: {} };
  t.is(segmentsText(names, facts), '{"a":"x","b":"7","d":"true"}');
  for (const nothing of [undefined, null, {}, [], 'text', 3]) t.is(segmentsText(names, nothing), '');
  t.is(segmentsText([], facts), '');
});

test('values that the database cannot store are replaced, and long ones are other', (t) => {
  const texts = ['\0', '\ud800', 'x'.repeat(64), 'x'.repeat(65), '"\\'];
  const kept = texts.map((a) => JSON.parse(segmentsText(['a'], { a })).a);
  t.deepEqual(kept, ['\ufffd', '\ufffd', 'x'.repeat(64), 'other', '"\\']);
});
