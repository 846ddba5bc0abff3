/** Columns that no field of a mapping reads, kept under their own names. */

import { conversionsByType, plainName } from './default-fields.ts';
import type { Mapping, RecordKind } from './mapping.ts';
import { cellOf, type Row, rejectedField, UnreadableValue } from './row.ts';

/** Adds columns to the record; returns the names of those that it leaves out. */
export type AddOthers = (document: Record<string, unknown>, row: Row) => string[];

export type OtherColumnsOptions = {
  kind: RecordKind;
  /** Types of declared properties by name; a declared property takes a column of any case. */
  propertyTypes?: ReadonlyMap<string, string>;
  timeZone?: string;
};

/** Fields that decide where a record is stored. */
const ownFields = new Set(['environment', 'item_type', '_enabled', 'event_type', rejectedField]);

export function createOthers(
  { references, forEach, leaveOut }: Pick<Mapping, 'references' | 'forEach' | 'leaveOut'>,
  { kind, propertyTypes: types, timeZone = 'UTC' }: OtherColumnsOptions,
): AddOthers {
  const read = new Set([...references.map(({ column }) => column), ...forEach].flatMap(placesAbove));
  const left = new Set(leaveOut);
  const convert = (name: string, value: unknown) => {
    const conversion = kind === 'items' ? conversionsByType[types?.get(name) ?? ''] : undefined;
    return typeof value === 'string' && conversion ? conversion(value, timeZone) : value;
  };
  return (document, row) => {
    const leftOut: string[] = [];
    for (const column of Object.keys(row)) {
      if (read.has(column) || column === '') continue;
      const value = cellOf(row, column);
      if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
      const name = types?.has(plainName(column)) ? plainName(column) : column;
      if (left.has(column) || ownFields.has(name) || document[name] !== undefined) leftOut.push(column);
      else document[name] = tryConvert(convert, name, value);
    }
    return leftOut;
  };
}

/** Returns a value that cannot be converted as it is, so that the service names the fault. */
function tryConvert(convert: (name: string, value: unknown) => unknown, name: string, value: unknown) {
  try {
    return convert(name, value);
  } catch (error) {
    if (error instanceof UnreadableValue) return value;
    throw error;
  }
}

/** `a.b.c` is in the columns `a`, `a.b` and `a.b.c`. */
function placesAbove(column: string): string[] {
  return column.split('.').map((_, i, steps) => steps.slice(0, i + 1).join('.'));
}
