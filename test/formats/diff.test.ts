/** Changes between two documents suffice to turn one into the other. */

import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { type Change, diffDocuments } from '../../src/formats/diff.ts';
import { fc } from '../support/properties.ts';

const document = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.string({ maxLength: 3 }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a/b', 'a~b', '', '0'), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;

type Container = Record<string, unknown>;

/** Additions and replacements first, then removals from the end, so that places in arrays stay right. */
function applied(before: unknown, changes: Change[]): unknown {
  const root = { document: structuredClone(before) } as Container;
  const isRemoval = (change: Change) => !('after' in change);
  for (const change of changes.filter((one) => !isRemoval(one))) {
    const { parent, name } = locate(root, change.pointer);
    parent[name] = change.after;
  }
  for (const change of changes.filter(isRemoval).toReversed()) {
    const { parent, name } = locate(root, change.pointer);
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
  }
  return root.document;
}

function locate(root: Container, pointer: string): { parent: Container; name: string } {
  const names = pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path = ['document', ...names.slice(1)];
  const parent = path.slice(0, -1).reduce((at, name) => at[name] as Container, root);
  return { parent, name: path.at(-1)! };
}

test('applying the changes to the earlier document gives the later one', (t) => {
  fc.assert(
    fc.property(document, document, (before, after) => {
      t.deepEqual(applied(before, diffDocuments(before, after)), after);
    }),
    { numRuns: 500 },
  );
});

test('equal documents have no changes, different ones have some', (t) => {
  fc.assert(
    fc.property(document, document, (one, other) => {
      t.deepEqual(diffDocuments(one, structuredClone(one)), []);
      t.is(diffDocuments(one, other).length === 0, isDeepStrictEqual(one, other));
    }),
  );
});

test('changes name the smallest part that differs, in the order of the later document', (t) => {
  const before = { a: 1, gone: true, limit: { max: 3, min: 1 }, list: ['x', 'y'] };
  const after = { list: ['x', 'z', 'new'], limit: { max: 4, min: 1 }, a: 1 };
  t.deepEqual(diffDocuments(before, after), [
    { pointer: '/list/1', before: 'y', after: 'z' },
    { pointer: '/list/2', after: 'new' },
    { pointer: '/limit/max', before: 3, after: 4 },
    { pointer: '/gone', before: true },
  ]);
});
