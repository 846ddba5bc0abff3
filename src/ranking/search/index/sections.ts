/**
 * Named typed arrays as one sequence of bytes, read back without copying.
 *
 *   Uint32 version · Uint32 length of the table · table: JSON of [name, type, length] each · the arrays in its order
 *
 * The table and every array begin at a multiple of eight bytes, in the byte order of the machine
 * (little-endian on all that the service runs on).
 */

const arrayTypes = { Float64Array, Int32Array, Uint16Array, Uint8Array };

type ArrayType = keyof typeof arrayTypes;
export type SectionArray = Float64Array | Int32Array | Uint16Array | Uint8Array;
export type Sections = Readonly<Record<string, SectionArray>>;

type Entry = [name: string, type: ArrayType, length: number];

const headBytes = 8;

function padding(byteLength: number): number {
  return (8 - (byteLength % 8)) % 8;
}

function bytesOf({ buffer, byteOffset, byteLength }: SectionArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Returns the bytes in parts, which are the arrays themselves: they must not be written until the
 * parts are used.
 */
export function encodeSections(version: number, sections: Sections): Uint8Array[] {
  const table = Object.entries(sections).map(([name, array]) => [name, array.constructor.name, array.length]);
  const text = new TextEncoder().encode(JSON.stringify(table));
  const parts = [bytesOf(new Uint8Array(Uint32Array.of(version, text.length).buffer)), text];
  for (const array of [text, ...Object.values(sections)]) {
    if (array !== text) parts.push(bytesOf(array));
    parts.push(new Uint8Array(padding(array.byteLength)));
  }
  return parts.filter(({ length }) => length > 0);
}

function readTable(version: number, bytes: ArrayBuffer): { entries: Entry[]; start: number } | undefined {
  if (bytes.byteLength < headBytes) return undefined;
  const [found, length] = new Uint32Array(bytes, 0, 2);
  if (found !== version || headBytes + length > bytes.byteLength) return undefined;
  const text = new TextDecoder().decode(new Uint8Array(bytes, headBytes, length));
  return { entries: JSON.parse(text), start: headBytes + length + padding(length) };
}

/**
 * Returns the arrays, in the memory of the bytes; undefined when these are of another version, or
 * incomplete.
 */
export function decodeSections(version: number, bytes: ArrayBuffer): Sections | undefined {
  const table = readTable(version, bytes);
  if (!table) return undefined;
  const sections: Record<string, SectionArray> = {};
  let at = table.start;
  for (const [name, type, length] of table.entries) {
    const byteLength = length * arrayTypes[type].BYTES_PER_ELEMENT;
    if (at + byteLength > bytes.byteLength) return undefined;
    sections[name] = new arrayTypes[type](bytes, at, length);
    at += byteLength + padding(byteLength);
  }
  return at === bytes.byteLength ? sections : undefined;
}
