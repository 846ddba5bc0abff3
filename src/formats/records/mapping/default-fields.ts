/** Fields of CSV without a mapping: columns are named like the fields of the API. */

import { type Conversion, conversions } from './conversions.ts';
import { createSplit } from './field.ts';
import { listFields, toListOf } from './field-shapes.ts';
import type { MappedField, RecordKind } from './mapping.ts';
import { itemFields } from './propose.ts';
import { cellOf, rejectedField } from './row.ts';

/** Unix seconds stay a number. */
const toTimestamp: Conversion = (text, timeZone) =>
  /^\d+(\.\d+)?$/.test(text) ? Number(text) : conversions.date(text, timeZone);

/** A cell has a list separated by `|`. */
const splitCell = createSplit('|');
const listConversions = Object.fromEntries(
  [...listFields].map((name) => [name, (text: string) => toListOf(name, splitCell(text))]),
);

const isItemField = (wanted: string): boolean => itemFields.some(({ name }) => name === wanted);

/** Conversions by the type of a declared property. */
export const conversionsByType: Readonly<Record<string, Conversion>> = {
  number: conversions.number,
  boolean: conversions.boolean,
  datetime: conversions.date,
  'string[]': splitCell,
};

/** Conversions of columns that are not text. */
const conversionsByKind: Record<RecordKind, Readonly<Record<string, Conversion>>> = {
  items: { _enabled: conversions.boolean, ...listConversions },
  events: {
    amount: conversions.number,
    original_price: conversions.number,
    purchased_price: conversions.number,
    progress: conversions.number,
    timestamp: toTimestamp,
  },
};

/** The spelling of fields: `Item ID` is `item_id`. */
export const plainName = (column: string): string => column.toLowerCase().replaceAll(/[\s-]/g, '_');

export type DefaultFieldOptions = {
  /** Types of declared properties by name; columns of other names are text. */
  propertyTypes?: ReadonlyMap<string, string>;
  timeZone?: string;
};

/**
 * Leaves out columns that are no field: unnamed and repeated ones, and reasons of a rejection.
 */
export function defaultFields(
  columns: readonly string[],
  kind: RecordKind,
  { propertyTypes: types, timeZone = 'UTC' }: DefaultFieldOptions = {},
): MappedField[] {
  const isField = (column: string) => {
    const [, repeated] = /^(.*) \(\d+\)$/.exec(column) ?? [];
    return column !== '' && column !== rejectedField && !columns.includes(repeated);
  };
  return columns.filter(isField).map((column) => {
    const plain = plainName(column);
    const isKnown = kind === 'events' || isItemField(plain) || types?.has(plain);
    const name = isKnown && !columns.includes(plain) ? plain : column;
    const conversion = (conversionsByKind[kind][name] ?? conversionsByType[types?.get(name) ?? '']) as
      | Conversion
      | undefined;
    return {
      name,
      read: (row) => {
        const cell = cellOf(row, column);
        return cell === undefined || !conversion ? cell : conversion(String(cell), timeZone);
      },
    };
  });
}
