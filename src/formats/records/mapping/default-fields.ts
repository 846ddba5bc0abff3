/** Fields of CSV without a mapping: columns are named like the fields of the API. */

import { type Conversion, conversions, toBoolean } from './conversions.ts';
import { createSplit } from './field.ts';
import { listFields, toListOf } from './field-shapes.ts';
import type { MappedField, RecordKind } from './mapping.ts';
import { toNumber } from './numbers.ts';
import { cellOf, rejectedField } from './row.ts';

/** Unix seconds stay a number; the service parses other text. */
const toTimestamp: Conversion = (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);

/** A cell has a list separated by `|`. */
const splitCell = createSplit('|');
const listConversions = Object.fromEntries(
  [...listFields].map((name) => [name, (text: string) => toListOf(name, splitCell(text))]),
);

/** Conversions by the type of a declared property. */
const conversionsByType: Readonly<Record<string, Conversion>> = {
  number: toNumber,
  boolean: toBoolean,
  datetime: conversions.date,
  'string[]': splitCell,
};

/** Conversions of columns that are not text. */
const conversionsByKind: Record<RecordKind, Readonly<Record<string, Conversion>>> = {
  items: { _enabled: toBoolean, ...listConversions },
  events: {
    amount: toNumber,
    original_price: toNumber,
    purchased_price: toNumber,
    progress: toNumber,
    timestamp: toTimestamp,
  },
};

/**
 * Leaves out columns that are no field: unnamed and repeated ones, and reasons of a rejection.
 * @param types Types of declared properties by name; columns of other names are text.
 */
export function defaultFields(
  columns: readonly string[],
  kind: RecordKind,
  types: ReadonlyMap<string, string> = new Map(),
): MappedField[] {
  const isField = (column: string) => {
    const [, repeated] = /^(.*) \(\d+\)$/.exec(column) ?? [];
    return column !== '' && column !== rejectedField && !columns.includes(repeated);
  };
  return columns.filter(isField).map((column) => {
    const conversion = (conversionsByKind[kind][column] ?? conversionsByType[types.get(column) ?? '']) as
      | Conversion
      | undefined;
    return {
      name: column,
      read: (row) => {
        const cell = cellOf(row, column);
        return cell === undefined || !conversion ? cell : conversion(String(cell));
      },
    };
  });
}
