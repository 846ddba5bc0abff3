/** Conditions on a row: `{column: rating, at_least: 3.5}`. All tests of a condition must hold. */

import { isMap, isScalar, isSeq } from 'yaml';
import {
  addFault,
  addReference,
  type Place,
  readBoolean,
  readEntries,
  readText,
  readValues,
} from './place.ts';
import { type Row, textOf, writtenCell } from './row.ts';

export type Condition = (row: Row) => boolean;

/** @param isText Whether the cell is text, as in CSV. */
type Test = (text: string, isText: boolean) => boolean;

const tests: Readonly<Record<string, (place: Place) => Test>> = {
  is: isAnyOf,
  is_not(place) {
    const isAny = isAnyOf(place);
    return (text, isText) => !isAny(text, isText);
  },
  at_least(place) {
    const bound = readNumber(place);
    return (text) => text !== '' && Number(text) >= bound;
  },
  below(place) {
    const bound = readNumber(place);
    return (text) => text !== '' && Number(text) < bound;
  },
  empty(place) {
    const isEmpty = readBoolean(place);
    return (text) => (text === '') === isEmpty;
  },
};

export function compileCondition(place: Place): Condition {
  if (!isMap(place.node)) {
    addFault(place, 'Must be a condition such as {column: rating, at_least: 3.5}.');
    return () => false;
  }
  const entries = readEntries(place, ['column', ...Object.keys(tests)]);
  const column = readText(entries.get('column') ?? { ...place, field: `${place.field}.column` }) ?? '';
  addReference(place, column);
  const given = Object.entries(tests).flatMap(([name, compile]) => {
    const entry = entries.get(name);
    return entry ? [compile(entry)] : [];
  });
  if (given.length === 0) addFault(place, `Needs one of ${Object.keys(tests).join(', ')}.`);
  return (row) => {
    const text = textOf(row, column);
    const isText = typeof writtenCell(row, column) === 'string';
    return given.every((test) => test(text, isText));
  };
}

/** Returns the reason of the first condition that holds, such as `status is draft`; undefined if none does. */
export type Reason = (row: Row) => string | undefined;

const longestValue = 60;

/** Compiles a condition, or a list of conditions of which any may hold. */
export function compileAnyCondition(place: Place): Reason {
  const nodes = isSeq(place.node) ? place.node.items : [place.node];
  const conditions = nodes.map((node) => ({
    column: isMap(node) ? String(node.get('column')) : '',
    holds: compileCondition({ ...place, node }),
  }));
  return (row) => {
    const column = conditions.find(({ holds }) => holds(row))?.column;
    return column && `${column} is ${textOf(row, column).slice(0, longestValue) || 'empty'}`;
  };
}

/** Compares text as written, and other values by their meaning. */
function isAnyOf(place: Place): Test {
  const written = readValues(place);
  const texts = new Set(written.map(({ text }) => text));
  const values = new Set(written.map(({ value }) => value));
  return (text, isText) => (isText ? texts : values).has(text);
}

function readNumber(place: Place): number {
  const { node } = place;
  if (isScalar(node) && typeof node.value === 'number') return node.value;
  addFault(place, 'Must be a number.');
  return Number.NaN;
}
