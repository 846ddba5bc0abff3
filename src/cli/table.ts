/** Rows as columns that stand below each other; numbers to the right. */

export type Cell = string | number | undefined;

export function formatTable(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [heads, ...rows].map((row) => row.map((cell) => (cell === undefined ? '' : String(cell))));
  const widths = heads.map((_, column) => Math.max(...texts.map((row) => row[column].length)));
  const isNumber = heads.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const lines = texts.map((row) =>
    row
      .map((text, column) => (isNumber[column] ? text.padStart(widths[column]) : text.padEnd(widths[column])))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
