/** Conditions on a row: `{column: rating, at_least: 3.5}`. Several tests in one condition must all hold. */

import { cellOf, type Row, textOf } from './row.ts';
import { isMap, isScalar, isSeq, readEntries, readText, readWritten, type Source } from './source.ts';

export type Condition = (row: Row) => boolean;

/** @param isText Whether the cell is text, as those of CSV are. */
type Test = (text: string, isText: boolean) => boolean;

const testNames = ['is', 'is_not', 'at_least', 'below', 'empty'];

/** One condition. */
export function compileCondition(node: unknown, field: string, source: Source): Condition {
  if (!isMap(node)) {
    source.fault(node, field, 'Must be a condition such as {column: rating, at_least: 3.5}.');
    return () => false;
  }
  const entries = readEntries(node, field, ['column', ...testNames], source);
  const column = readText(entries.get('column') ?? node, `${field}.column`, source) ?? '';
  source.refer(node, field, column);
  const tests = testNames.flatMap((name) =>
    entries.has(name) ? [compileTest(name, entries.get(name), `${field}.${name}`, source)] : [],
  );
  if (tests.length === 0) source.fault(node, field, `Needs one of ${testNames.join(', ')}.`);
  return (row) => {
    const text = textOf(row, column);
    const isText = typeof cellOf(row, column) === 'string';
    return tests.every((test) => test(text, isText));
  };
}

/** One condition, or a list of which any may hold. */
export function compileAnyCondition(node: unknown, field: string, source: Source): Condition {
  const nodes = isSeq(node) ? node.items : [node];
  const conditions = nodes.map((item) => compileCondition(item, field, source));
  return (row) => conditions.some((condition) => condition(row));
}

function compileTest(name: string, node: unknown, field: string, source: Source): Test {
  if (name === 'is' || name === 'is_not') {
    const written = readWritten(node, field, source);
    const texts = new Set(written.map(({ text }) => text));
    const values = new Set(written.map(({ value }) => value));
    return (text, isText) => (isText ? texts : values).has(text) === (name === 'is');
  }
  const value = isScalar(node) ? node.value : undefined;
  if (name === 'empty') {
    if (typeof value !== 'boolean') source.fault(node, field, 'Must be true or false.');
    return (text) => (text === '') === value;
  }
  if (typeof value !== 'number') source.fault(node, field, 'Must be a number.');
  const bound = Number(value);
  const isAtLeast = name === 'at_least';
  return (text) => text !== '' && (isAtLeast ? Number(text) >= bound : Number(text) < bound);
}
