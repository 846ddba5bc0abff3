import test from 'ava';
import { settlePointer } from '../../../src/handlers/messages/pointers.ts';

const rows: [json: unknown, pointer: string, settled: string][] = [
  [{ match: { or: [{ value: 'a' }] } }, '/match/or/0/value', '/match/or/0/value'],
  [{ match: ['a'] }, '/match/or/0/value', '/match/0'],
  [{ match: 'a' }, '/match/or/0/value', '/match'],
  [{ gt: 3 }, '/gt/0/value', '/gt'],
  [{ gt: [3, 4] }, '/gt/1/value', '/gt/1'],
  [{ 'a/b': { '~': 1 } }, '/a~1b/~0', '/a~1b/~0'],
  [{ constraints: [{}] }, '/constraints/0/query', '/constraints/0/query'],
  [{}, '', ''],
  [[], '/constraints', ''],
  [{ constructor: 1 }, '/toString/x', '/toString/x'],
];

for (const [json, pointer, settled] of rows) {
  test(`${pointer || 'the root'} of ${JSON.stringify(json)} is ${settled || 'the root'}`, (t) => {
    t.is(settlePointer(json, pointer), settled);
  });
}
