/** Reads a local file as rows, with the code of the command line. */

import { formatOf } from '../../../formats/records/formats.ts';
import type { Mapping } from '../../../formats/records/mapping/mapping.ts';
import type { Column } from '../../../formats/records/mapping/propose.ts';
import { type ReadyMapping, readyMapping } from '../../../formats/records/mapping/ready-mappings.ts';
import { type OpenedRows, openRows } from '../../../formats/records/open-records.ts';

type Opened = OpenedRows & {
  notes: string[];
  /** Encoding of a file that does not declare one. */
  guess: string | undefined;
};

/**
 * @param mapping Undefined for the ready mapping of a known source, or none.
 * @param encoding Undefined for the detected one.
 * @param onBytes Receives the number of bytes of each chunk read.
 */
export async function openFile(
  file: File,
  { mapping, encoding }: { mapping?: Mapping; encoding?: string },
  onBytes?: (count: number) => void,
): Promise<Opened> {
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        onBytes?.(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
  const isPacked = file.name.toLowerCase().endsWith('.gz');
  const chunks = chunksOf(isPacked ? counted.pipeThrough(new DecompressionStream('gzip')) : counted);
  const notes: string[] = [];
  const note = (sentence: string) => notes.push(sentence);
  let guess: string | undefined;
  const onGuess = (guessed: string) => {
    guess = guessed;
  };
  const format = formatOf(file.name)!;
  const opened = await openRows({ chunks, format, kind: 'items', mapping, encoding, note, onGuess });
  return { ...opened, notes, guess };
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
  const { columns, rows, mapping, notes, guess } = await openFile(file, { encoding });
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
