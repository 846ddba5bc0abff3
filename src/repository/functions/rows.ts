/**
 * Reads in the database what encode-columns.ts writes: rows as a text of columns of values. To parse
 * it costs a third of what JSON does.
 */

const valueMark = '\ufdd0';
const nullMark = '\ufdd1';
const columnMark = '\ufdd2';

/** Types of the columns by name, in the order in which they were written. */
export type ColumnTypes = Record<string, string>;

/**
 * Declarations of a plpgsql function: an array for each column, split once however often the rows
 * are read.
 * @param name Of the rows.
 * @param text The function's parameter.
 */
export function declareRows(name: string, text: string, types: ColumnTypes): string {
  const columns = `${name}_columns text[] := string_to_array(${text}, '${columnMark}', '${nullMark}');`;
  const arrays = Object.keys(types).map(
    (column, place) => `${name}_${column} text[] := ${valuesOf(`${name}_columns[${place + 1}]`)};`,
  );
  return [columns, ...arrays].join('\n  ');
}

/** A table expression of declared rows; `row_place` counts them from 1. */
export function rowsOf(name: string, types: ColumnTypes): string {
  const names = Object.keys(types);
  const values = names.map((column) =>
    types[column] === 'text' ? column : `${column}::${types[column]} as ${column}`,
  );
  const arrays = names.map((column) => `${name}_${column}`);
  return `(select ${values.join(', ')}, row_place
    from unnest(${arrays.join(', ')}) with ordinality as raw(${names.join(', ')}, row_place))`;
}

/** @param column One that is never empty altogether. */
export function countRows(name: string, column: string): string {
  return `cardinality(${name}_${column})`;
}

/** The empty text is one value here, but none to `string_to_array`. */
function valuesOf(column: string): string {
  return `case when ${column} = '' then '{""}'
    else string_to_array(${column}, '${valueMark}', '${nullMark}') end`;
}
