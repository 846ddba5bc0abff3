/** Reads a local file as rows, with the code of the command line. */

import type { Column } from '../../../formats/records/mapping/propose.ts';
import { readLines } from '../../../formats/records/reading/lines.ts';
import { type Rows, readDelimitedRows, readJsonRows } from '../../../formats/records/reading/rows.ts';

export type Format = 'csv' | 'tsv' | 'ndjson';

const endings: Record<string, Format> = {
  csv: 'csv',
  tsv: 'tsv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'ndjson',
};

/** Format by the file name without `.gz`; undefined for other extensions. */
export function formatOf(name: string): Format | undefined {
  const [, ending = ''] = /\.([a-z]+)$/.exec(name.toLowerCase().replace(/\.gz$/, '')) ?? [];
  return endings[ending];
}

/**
 * @param afterLine Skips records up to this line.
 * @param onBytes Receives the number of bytes of each chunk read.
 */
export async function openRows(
  file: File,
  afterLine: number,
  onBytes?: (count: number) => void,
): Promise<Rows> {
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        onBytes?.(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
  const isPacked = file.name.toLowerCase().endsWith('.gz');
  const lines = readLines(
    chunksOf(isPacked ? counted.pipeThrough(new DecompressionStream('gzip')) : counted),
  );
  const format = formatOf(file.name);
  return format === 'ndjson'
    ? readJsonRows(lines, afterLine)
    : readDelimitedRows(lines, format === 'tsv' ? '\t' : undefined, afterLine);
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

/** Reads the columns of a file, with sample values. */
export async function readColumns(file: File): Promise<Column[]> {
  const { columns, rows } = await openRows(file, 0);
  const samples = new Map<string, string[]>((columns ?? []).map((name) => [name, []]));
  let count = 0;
  for await (const one of rows) {
    for (const [name, value] of Object.entries(one.fault === undefined ? one.row : {})) {
      const kept = samples.get(name) ?? [];
      samples.set(name, kept);
      const text = sampleOf(value);
      if (text !== '' && kept.length < samplesKept) kept.push(text);
    }
    count += 1;
    if (count === rowsSampled) break;
  }
  return Array.from(samples, ([name, kept]) => ({ name, samples: kept }));
}

function sampleOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
