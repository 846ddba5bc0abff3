/** One record as read, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Column of the reasons in a file of rejected records; ignored when that file is imported. */
export const rejectedField = '_rejected';

/** Reads one field of the record to send; undefined leaves it out. @throws UnreadableValue */
export type Field = (row: Row) => unknown;

/** A value that cannot be converted; the record is refused. */
export class UnreadableValue extends Error {}

/** A record that the mapping skips because of an unreadable value. */
export class SkippedRecord extends Error {}

/** @throws UnreadableValue such as `"many" is not a number.` */
export function refuseText(text: string, fault: string): never {
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  throw new UnreadableValue(`${shown} ${fault}.`);
}

/** What spreadsheets, databases and people write for no value. */
const absent = /^(?:[-–—]+|n\/a|null|\(not set\)|\\n|#(?:n\/a|null!|ref!|value!|name\?|div\/0!|num!))$/i;

/** Returns the cell of a column, with text trimmed; undefined if it is empty or stands for no value. */
export function cellOf(row: Row, column: string): unknown {
  const cell = writtenCell(row, column);
  return typeof cell === 'string' && absent.test(cell) ? undefined : cell;
}

/** Returns the cell of a column as written, with text trimmed; undefined if it is empty. */
export function writtenCell(row: Row, column: string): unknown {
  const value = Object.hasOwn(row, column) ? row[column] : valueAt(row, column);
  return typeof value === 'string' ? presentText(value.trim()) : (value ?? undefined);
}

/**
 * Returns the value at a path such as `offers.price`; undefined if there is none. In an array, a
 * step is an index, the `key` of an entry `{key, value}`, or `*` for all elements; otherwise the
 * path continues in the first element. `#text` is the text of an XML element with or without
 * attributes. A name with dots comes before a path. Text that is JSON is parsed.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  const within = typeof value === 'string' ? parsed(value) : value;
  const [step] = path.split('.', 1);
  const rest = path.slice(step.length + 1);
  if (step === '#text' && typeof value === 'string') return value;
  if (step === '*') return [within ?? value ?? []].flat().flatMap((one) => valueAt(one, rest) ?? []);
  if (typeof within !== 'object' || within === null) return undefined;
  if (Array.isArray(within)) return valueInArray(within, { step, rest, path });
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
    if (Object.hasOwn(within, path.slice(0, end)))
      return valueAt((within as Row)[path.slice(0, end)], path.slice(end + 1));
  return undefined;
}

type Steps = { step: string; rest: string; path: string };

function valueInArray(array: readonly unknown[], { step, rest, path }: Steps): unknown {
  if (/^\d+$/.test(step)) return valueAt(array[Number(step)], rest);
  const entry = array.find((one) => (one as { key?: unknown } | null)?.key === step);
  return entry === undefined ? valueAt(array[0], path) : valueAt((entry as { value?: unknown }).value, rest);
}

function parsed(text: string): unknown {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the cell as text, for templates and conditions; empty if there is none. */
export function textOf(row: Row, column: string): string {
  const value = writtenCell(row, column);
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function presentText(text: string): string | undefined {
  return text === '' ? undefined : text;
}
