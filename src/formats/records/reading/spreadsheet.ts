/** Reads the first sheet of an Excel workbook (.xlsx) like CSV: its first row names the columns. */

import { csvRow } from '../csv.ts';
import type { DelimitedRecord } from './delimited.ts';
import { collect } from './encoding.ts';
import { nameCells, nameColumns, type Rows } from './rows.ts';

/** A workbook is read as a whole. */
const mostBytes = 64 * 1_048_576;
const mostUnpackedBytes = 256 * 1_048_576;

export async function readSpreadsheet(
  chunks: AsyncIterable<Uint8Array>,
  note: (sentence: string) => void,
): Promise<Rows> {
  const file = await collect(chunks, mostBytes, 'save it as CSV');
  checkSize(new DataView(await file.arrayBuffer()));
  const { readSheet } = await import('read-excel-file/universal');
  const sheet = await readSheet(file);
  const [header, ...cells] = sheet.map((row) => row.map(textOf));
  if (header === undefined) throw new Error('The sheet is empty; its first row must name the columns.');
  const columns = nameColumns(header, note);
  async function* records(): AsyncGenerator<DelimitedRecord> {
    for (const [i, row] of cells.entries()) {
      const fields = columns.map((_, column) => row[column] ?? '');
      yield { line: i + 2, text: csvRow(fields), fields };
    }
  }
  return { columns, rows: nameCells(records(), columns), heading: { text: csvRow(header), delimiter: ',' } };
}

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;

/** Refuses an archive that declares too many bytes; more than it declares is never unpacked. */
function checkSize(archive: DataView): void {
  let end = archive.byteLength - 22;
  while (end > 0 && archive.getUint32(end, true) !== endOfDirectory) end -= 1;
  let entry = end > 0 ? archive.getUint32(end + 16, true) : archive.byteLength;
  let byteCount = 0;
  while (entry + 46 <= end && archive.getUint32(entry, true) === directoryEntry) {
    byteCount += archive.getUint32(entry + 24, true);
    const lengths = [28, 30, 32].map((place) => archive.getUint16(entry + place, true));
    entry += 46 + lengths.reduce((sum, length) => sum + length, 0);
  }
  if (byteCount > mostUnpackedBytes)
    throw new Error(`The workbook has more than ${mostUnpackedBytes} bytes unpacked; save it as CSV.`);
}

/** Dates of a workbook have no time zone. */
function textOf(cell: unknown): string {
  if (!(cell instanceof Date)) return String(cell ?? '');
  return cell.toISOString().replace(/(?:T00:00:00)?\.000Z$|Z$/, '');
}
