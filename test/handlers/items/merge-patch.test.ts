/** The examples of RFC 7396, appendix A. */

import test from 'ava';
import { mergePatch } from '../../../src/handlers/items/merge-patch.ts';

const rows: [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [target, patch, result] of rows) {
  test(`${JSON.stringify(target)} with ${JSON.stringify(patch)} is ${JSON.stringify(result)}`, (t) => {
    const [targetBefore, patchBefore] = structuredClone([target, patch]);
    t.deepEqual(mergePatch(target, patch), result);
    t.deepEqual([target, patch], [targetBefore, patchBefore]);
  });
}

test('a property may be called __proto__', (t) => {
  const merged = mergePatch({ a: 1 }, JSON.parse('{"__proto__": {"b": 2}}')) as object;
  t.is(JSON.stringify(merged), '{"a":1,"__proto__":{"b":2}}');
  t.is(Object.getPrototypeOf(merged), Object.prototype);
});
