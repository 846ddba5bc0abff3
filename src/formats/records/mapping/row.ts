/** One record as it was read, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** One field of the record to send, from a row; undefined leaves it out. Throws UnreadableValue. */
export type Field = (row: Row) => unknown;

/** A value that cannot become what the field asks for; the record is refused. */
export class UnreadableValue extends Error {}

/** The cell of a column; undefined when it is empty. Text is trimmed. */
export function cellOf(row: Row, column: string): unknown {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  return typeof value === 'string' ? presentText(value.trim()) : (value ?? undefined);
}

/** The cell as text, for templates and conditions; empty when there is none. */
export function textOf(row: Row, column: string): string {
  const value = cellOf(row, column);
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Empty text is no value. */
export function presentText(text: string): string | undefined {
  return text === '' ? undefined : text;
}
