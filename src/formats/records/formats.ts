/** Formats of imported files. */

export const formats = ['ndjson', 'csv', 'tsv', 'xml', 'xlsx', 'gorse-dump'] as const;
export type Format = (typeof formats)[number];

const formatsByEnding: Readonly<Record<string, Format>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'ndjson',
  jsonld: 'ndjson',
  csv: 'csv',
  txt: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  xml: 'xml',
  rss: 'xml',
  atom: 'xml',
  xlsx: 'xlsx',
};

/** Endings of the names of files, each with a dot. */
export const endings = [...Object.keys(formatsByEnding), 'gz'].map((ending) => `.${ending}`);

/** Returns the format by the name of a file, without `.gz`; undefined for other endings. */
export function formatOf(name: string): Format | undefined {
  const [, ending = ''] = /\.([a-z]+)$/.exec(name.toLowerCase().replace(/\.gz$/, '')) ?? [];
  return formatsByEnding[ending];
}
