/** Reads a local file as rows, with the code of the command line. */

import { formatOf } from '../../../formats/records/formats.ts';
import type { Column } from '../../../formats/records/mapping/propose.ts';
import { type ReadyMapping, readyMapping } from '../../../formats/records/mapping/ready-mappings.ts';
import { type OpenedRows, openRows } from '../../../formats/records/open-records.ts';
import { toUtf8 } from '../../../formats/records/reading/encoding.ts';
import { t } from '../../texts/texts.ts';

type Opened = OpenedRows & {
  notes: string[];
  /** Encoding of a file that does not declare one. */
  guess: string | undefined;
};

/** @param encoding Undefined for the detected one. */
async function openFile(file: File, encoding: string | undefined): Promise<Opened> {
  const notes: string[] = [];
  const note = (sentence: string) => notes.push(sentence);
  let guess: string | undefined;
  const onGuess = (guessed: string) => {
    guess = guessed;
  };
  const format = formatOf(file.name)!;
  const chunks = unpacked(file);
  const opened = await openRows({
    chunks,
    format,
    kind: 'items',
    mapping: undefined,
    encoding,
    note,
    onGuess,
  });
  return { ...opened, notes, guess };
}

function unpacked(file: File): AsyncGenerator<Uint8Array> {
  const isPacked = file.name.toLowerCase().endsWith('.gz');
  return chunksOf(isPacked ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream());
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

const rowsSampled = 200;
const samplesKept = 20;

export type FileSample = {
  columns: Column[];
  /** The ready mapping for the file's columns; undefined for an unknown source. */
  ready: ReadyMapping | undefined;
  /** Detected properties, such as the encoding. */
  notes: readonly string[];
  guess: string | undefined;
};

/** Reads the columns of a file, with sample values. */
export async function readSample(file: File, encoding: string | undefined): Promise<FileSample> {
  const { columns, rows, mapping, notes, guess } = await openFile(file, encoding);
  const samples = new Map<string, string[]>((columns ?? []).map((name) => [name, []]));
  let count = 0;
  for await (const { row } of rows) {
    for (const [name, value] of Object.entries(row)) {
      const kept = samples.get(name) ?? [];
      samples.set(name, kept);
      const text = sampleOf(value);
      if (text !== '' && kept.length < samplesKept) kept.push(text);
    }
    count += 1;
    if (count === rowsSampled) break;
  }
  const read = Array.from(samples, ([name, kept]) => ({ name, samples: kept }));
  return { columns: read, ready: mapping && readyMapping(mapping.path, 'items'), notes, guess };
}

function sampleOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/** As the service limits parts and files; a split character adds some bytes. */
const partBytes = 2 * 1_048_576 - 1_024;
const mostParts = 32;

/** Format of a file, as its text is uploaded. */
export function uploadedFormat({ name }: File): string {
  const format = formatOf(name)!;
  return format === 'xlsx' ? 'csv' : format;
}

/** Reads the text of a file in parts of at most 2 MiB of UTF-8. A workbook becomes CSV. */
export async function* readParts(file: File, encoding: string | undefined): AsyncGenerator<string> {
  const isBook = formatOf(file.name) === 'xlsx';
  const options = { encoding, isGuessed: formatOf(file.name) !== 'ndjson', note: () => undefined };
  const bytes = isBook ? tableOf(file) : toUtf8(unpacked(file), options);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = new Uint8Array(0);
  let count = 0;
  const textOf = (part: Uint8Array, isLast: boolean) => {
    count += 1;
    if (count > mostParts)
      throw new Error(t('The file is larger than 64 MiB. Import it with the command line.'));
    return decoder.decode(part, { stream: !isLast }).replaceAll('\0', '\ufffd');
  };
  for await (const chunk of bytes) {
    const joined = new Uint8Array(rest.length + chunk.length);
    joined.set(rest);
    joined.set(chunk, rest.length);
    let start = 0;
    /** The decoder adds the bytes of a character that the part before began. */
    for (; joined.length - start > partBytes; start += partBytes)
      yield textOf(joined.subarray(start, start + partBytes), false);
    rest = joined.subarray(start);
  }
  yield textOf(rest, true);
}

async function* tableOf(file: File): AsyncGenerator<Uint8Array> {
  const { columns = [], rows } = await openFile(file, undefined);
  const named = columns.filter((name) => name !== '');
  const lineOf = (cells: readonly unknown[]) =>
    `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(',')}\n`;
  const encoder = new TextEncoder();
  let text = lineOf(named);
  for await (const { row } of rows) {
    text += lineOf(named.map((name) => row[name] ?? ''));
    if (text.length < chunkCharacters) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

const chunkCharacters = 65_536;
