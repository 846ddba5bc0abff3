/** Fields of CSV without a mapping: columns are named like the fields of the API. */

import { type Conversion, toBoolean, toNumber } from './conversions.ts';
import type { MappedField, RecordKind } from './mapping.ts';
import { cellOf } from './row.ts';

/** Splits a list in one cell at `|`. */
const toList: Conversion = (text) =>
  text
    .split('|')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Unix seconds stay a number; the service parses other text. */
const toTimestamp: Conversion = (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);

/** Conversions of columns that are not text. */
const conversionsByKind: Record<RecordKind, Readonly<Record<string, Conversion>>> = {
  items: { categories: toList, tags: toList, images: toList, _enabled: toBoolean },
  events: {
    amount: toNumber,
    original_price: toNumber,
    purchased_price: toNumber,
    progress: toNumber,
    timestamp: toTimestamp,
  },
};

export function defaultFields(columns: readonly string[], kind: RecordKind): MappedField[] {
  return columns
    .filter((column) => column !== '')
    .map((column) => {
      const conversion = conversionsByKind[kind][column] as Conversion | undefined;
      return {
        name: column,
        read: (row) => {
          const cell = cellOf(row, column);
          return cell === undefined || !conversion ? cell : conversion(String(cell));
        },
      };
    });
}
