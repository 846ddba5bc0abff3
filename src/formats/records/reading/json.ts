/** Reads JSON: one object per line, or one document with an array of objects. */

import { valueAt } from '../mapping/row.ts';
import { collect } from './encoding.ts';
import { readLines } from './lines.ts';
import { parseJson } from './parse-json.ts';
import { peek, readJsonLines, type SourceRow, toRow } from './rows.ts';

/** Largest document; lines have no such limit. */
const mostDocumentBytes = 256 * 1_048_576;

/** Start of a document that is not one object per line, also of one without line ends. */
const documentStart =
  /^\s*(?:\[|\{\s*\n|\{\s*"(?:products|items|records|data|results|entries|events)"\s*:\s*\[\s*\{|\{\s*"Cursor"\s*:|\{[^\n]*(?:"@graph"\s*:\s*\[|:\s*"https:\/\/jsonfeed\.org))/;

const usualNames = ['items', 'products', '@graph', 'records', 'data', 'results', 'entries', 'events'];

/** @param records Path of the array in a document; undefined finds it. */
export async function readJson(
  chunks: AsyncIterable<Uint8Array>,
  records: string | undefined,
): Promise<AsyncIterable<SourceRow>> {
  const { first, all } = await peek(chunks, ({ length }) => length > 0);
  const start = new TextDecoder().decode(first?.subarray(0, 1_024));
  return records === undefined && !documentStart.test(start)
    ? readJsonLines(readLines(all))
    : readDocument(all, records);
}

async function* readDocument(
  chunks: AsyncIterable<Uint8Array>,
  records: string | undefined,
): AsyncGenerator<SourceRow> {
  const file = await collect(chunks, mostDocumentBytes, 'write one object per line');
  const { value: document, long } = parseDocument(await textOf(file));
  const found = records === undefined ? recordsIn(document) : valueAt(document, records);
  if (!Array.isArray(found)) throw new Error(`The file has no array of records${at(records)}.`);
  for (const [i, value] of found.entries()) {
    const text = JSON.stringify(value);
    const own = long.filter((number) => text.includes(JSON.stringify(number)));
    yield toRow({ line: i + 1, text }, value, own);
  }
}

/** @throws TypeError for bytes that are not UTF-8. */
const textOf = async (file: Blob) =>
  new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());

const at = (records: string | undefined) => (records === undefined ? '' : ` at ${JSON.stringify(records)}`);

/** Objects in several lines that follow each other are an array, too. */
function parseDocument(text: string) {
  try {
    return parseJson(text);
  } catch (error) {
    const isSequence = /^\}\s*\n\{/m.test(text);
    if (isSequence) return parseDocument(`[${text.replaceAll(/^\}\s*\n(?=\{)/gm, '},\n')}]`);
    throw new Error(`The file is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

const isObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null);

/** An object with an ID is a record itself, whatever arrays it has. */
function recordsIn(document: unknown): unknown {
  if (Array.isArray(document) || typeof document !== 'object' || document === null) return document;
  if ('item_id' in document || 'event_type' in document) return [document];
  if ('Cursor' in document) return Object.values(document).find(Array.isArray) ?? [];
  const arrays = Object.entries(document).filter(([, value]) => isObjects(value));
  const usual = arrays.find(([name]) => usualNames.includes(name));
  if (usual) return usual[1];
  return arrays.length === 1 ? arrays[0][1] : [document];
}
