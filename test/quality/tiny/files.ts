/** Files of a data set as text: their contents by the path below the folder of the data sets. */

/** Files with names in `.gz` are packed. */
export type Files = Record<string, string>;

/** A line each. */
export const linesOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** With the names of the columns as the first line. */
export const tableOf = (names: string, rows: readonly unknown[][], separator = ','): string =>
  linesOf([names.split(' ').join(separator), ...rows.map((row) => row.join(separator))]);
