/**
 * Reads in the database what encode-values.ts writes: the values of rows, one after the other, as a
 * text. To parse it costs a third of what JSON does; and one list instead of one for each column takes
 * a quarter off storing few events, of which most is to begin.
 */

const valueMark = '\ufdd0';
const nullMark = '\ufdd1';

/** Types of the columns by name, in the order in which they were written: two at least. */
export type ColumnTypes = Record<string, string>;

/**
 * Declarations of a plpgsql function: the values, split once however often the rows are read.
 * @param name Of the rows.
 * @param text The function's parameter.
 */
export function declareRows(name: string, text: string): string {
  return `${name}_values text[] := string_to_array(${text}, '${valueMark}', '${nullMark}');`;
}

/**
 * A table expression of declared rows; `row_place` counts them from 1. On a cluster a statement on a
 * distributed table is given the values as a constant, in which each would be looked for from the
 * first one on: of 3,000 events that took seconds. So there they are dealt out in one go.
 */
export function rowsOf(name: string, types: ColumnTypes, isCluster: boolean): string {
  const { length } = Object.keys(types);
  const valueAt = (place: number) =>
    isCluster
      ? `(max(value) filter (where place = ${place}))`
      : `${name}_values[row_place * ${length} - ${length - 1 - place}]`;
  const columns = Object.entries(types).map(([column, type], place) =>
    type === 'text' ? `${valueAt(place)} as ${column}` : `${valueAt(place)}::${type} as ${column}`,
  );
  const places = isCluster
    ? `(select value, (ordinality - 1) % ${length} as place, (ordinality - 1) / ${length} + 1 as row_place
      from unnest(${name}_values) with ordinality as listed (value, ordinality)) as cells group by row_place`
    : `generate_series(1, ${countRows(name, types)}) as row_place`;
  return `(select ${columns.join(', ')}, row_place from ${places})`;
}

export function countRows(name: string, types: ColumnTypes): string {
  return `cardinality(${name}_values) / ${Object.keys(types).length}`;
}
