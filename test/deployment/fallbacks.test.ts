/** The fallback chain of a deployment: its defaults, and errors with name and line. */

import test from 'ava';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';

const declaring = (lines: string) =>
  `environments:\n  - name: a\n    item_types: [{ name: b }]\n${lines.replaceAll(/^/gm, '    ')}`;
const fallbacksOf = (lines: string) =>
  parseDeployment(declaring(lines), 'x.yaml').environments.get('a')!.fallbacks;

test('the default fallbacks are the documented ones', (t) => {
  t.deepEqual(fallbacksOf('default_language: en'), {
    steps: ['segment', 'trending', 'newest'],
    segments: undefined,
  });
});

test('steps and segments are read in their order', (t) => {
  const lines = 'fallbacks: [newest, segment]\nsegments: [country, tier]\nuser_properties: [tier]';
  t.deepEqual(fallbacksOf(lines), { steps: ['newest', 'segment'], segments: ['country', 'tier'] });
});

test('metrics distinguish the declared segments that are properties, and device classes', (t) => {
  const segmentsOf = (lines: string) =>
    parseDeployment(declaring(lines), 'x.yaml').environments.get('a')!.metricSegments;
  t.deepEqual(segmentsOf('default_language: en'), ['device_class']);
  const lines =
    'fallbacks: [newest]\nsegments: [tier, category, device_class, country]\nuser_properties: [tier]';
  t.deepEqual(segmentsOf(lines), ['country', 'device_class', 'tier']);
});

const faults: [title: string, lines: string, line: number, message: RegExp][] = [
  ['a step that does not exist', 'fallbacks: [trending, oldest]', 4, /one of: segment, trending, newest/],
  ['a step twice', 'fallbacks: [trending, newest, trending]', 4, /fallbacks\/2: Duplicate name/],
  ['an undeclared segment', 'segments: [contry]', 4, /Did you mean country\?/],
  ['a segment twice', 'segments: [country, country]', 4, /segments\/1: Duplicate name/],
  ['a user property without a segment', 'user_properties: [tier]', 4, /segments names none/],
  [
    'a property that is a field of events',
    'segments: [tier]\nuser_properties: [tier, user_id]',
    5,
    /Is already the name of/,
  ],
];

for (const [title, lines, line, message] of faults) {
  test(`${title} stops the start and is named with its line`, (t) => {
    const error = t.throws(() => fallbacksOf(lines));
    t.regex(error.message, new RegExp(`^x\\.yaml:${line}: `));
    t.regex(error.message, message);
  });
}
