/** One record as read, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Reads one field of the record to send; undefined leaves it out. @throws UnreadableValue */
export type Field = (row: Row) => unknown;

/** A value that cannot be converted; the record is refused. */
export class UnreadableValue extends Error {}

/** Returns the cell of a column, with text trimmed; undefined if it is empty. */
export function cellOf(row: Row, column: string): unknown {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  return typeof value === 'string' ? presentText(value.trim()) : (value ?? undefined);
}

/** Returns the cell as text, for templates and conditions; empty if there is none. */
export function textOf(row: Row, column: string): string {
  const value = cellOf(row, column);
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function presentText(text: string): string | undefined {
  return text === '' ? undefined : text;
}
