/** The fallback chain of a deployment: as usual where nothing is said, and its faults by name and line. */

import test from 'ava';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';

const declaring = (lines: string) =>
  `environments:\n  - name: a\n    item_types: [{ name: b }]\n${lines.replaceAll(/^/gm, '    ')}`;
const fallbacksOf = (lines: string) =>
  parseDeployment(declaring(lines), 'x.yaml').environments.get('a')!.fallbacks;

test('without a word the fallbacks are as documented', (t) => {
  t.deepEqual(fallbacksOf('default_language: en'), {
    steps: ['segment', 'trending', 'newest'],
    segments: undefined,
  });
});

test('steps and segments are those of the file, in its order', (t) => {
  const lines = 'fallbacks: [newest, segment]\nsegments: [country, tier]\nuser_properties: [tier]';
  t.deepEqual(fallbacksOf(lines), { steps: ['newest', 'segment'], segments: ['country', 'tier'] });
});

const faults: [title: string, lines: string, line: number, message: RegExp][] = [
  ['a step that does not exist', 'fallbacks: [trending, oldest]', 4, /one of: segment, trending, newest/],
  ['a step twice', 'fallbacks: [trending, newest, trending]', 4, /fallbacks\/2: Stands twice/],
  ['a segment that nobody declares', 'segments: [contry]', 4, /Perhaps country is meant/],
  ['a segment twice', 'segments: [country, country]', 4, /segments\/1: Stands twice/],
  ['segments that no step asks', 'fallbacks: [trending]\nsegments: [country]', 5, /fallbacks has no segment/],
  ['a property that no segment names', 'user_properties: [tier]', 4, /segments names none/],
  [
    'a property that is a field of events',
    'segments: [tier]\nuser_properties: [tier, user_id]',
    5,
    /Is known already/,
  ],
];

for (const [title, lines, line, message] of faults) {
  test(`${title} stops the start and is named with its line`, (t) => {
    const error = t.throws(() => fallbacksOf(lines));
    t.regex(error.message, new RegExp(`^x\\.yaml:${line}: `));
    t.regex(error.message, message);
  });
}
