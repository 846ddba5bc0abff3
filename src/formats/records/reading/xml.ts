/**
 * Reads records of XML: elements of one name as objects. A child element is a property, a repeated
 * one an array, an attribute `@name`, and text beside them `#text`. Names keep their prefix.
 */

import { SaxesParser } from 'saxes';
import { longestLineBytes } from './lines.ts';
import type { SourceRow } from './rows.ts';

/** Usual names of records: of RSS and Google, Atom, and shops. */
const usualNames = new Set(['item', 'entry', 'product', 'offer', 'article', 'record', 'row']);

const mostLevels = 32;
const tooLarge = `Is longer than ${longestLineBytes} characters or nested deeper than ${mostLevels} levels.`;

type Element = { name: string; value: Record<string, unknown>; text: string };

/** @param recordName Name of the records' element; undefined takes the first usual one. */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  recordName: string | undefined,
): AsyncGenerator<SourceRow> {
  const found: SourceRow[] = [];
  const parser = openParser(recordName, found);
  const decoder = new TextDecoder();
  let count = 0;
  for await (const chunk of chunks) {
    parser.write(decoder.decode(chunk, { stream: true }));
    count += found.length;
    yield* found.splice(0);
  }
  parser.write(decoder.decode()).close();
  if (count + found.length === 0)
    throw new Error('The XML has no records; a mapping can name their element with `records`.');
  yield* found.splice(0);
}

function openParser(recordName: string | undefined, found: SourceRow[]) {
  const parser = new SaxesParser();
  const open: Element[] = [];
  let name = recordName;
  let count = 0;
  let size = 0;
  const addText = (text: string) => {
    size += text.length;
    if (open.length > 0 && size <= longestLineBytes) open.at(-1)!.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', (tag) => {
    if (open.length === 0) {
      if (name === undefined && usualNames.has(tag.name)) name = tag.name;
      if (tag.name !== name) return;
      size = 0;
    }
    const attributes = Object.entries(tag.attributes as Record<string, string>);
    size += tag.name.length + attributes.reduce((sum, [, text]) => sum + text.length, 0);
    const value: Record<string, unknown> = Object.create(null);
    for (const [attribute, text] of attributes) value[`@${attribute}`] = text;
    open.push({ name: tag.name, value, text: '' });
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (!element) return;
    if (open.length > mostLevels) size = Number.POSITIVE_INFINITY;
    const isTooLarge = size > longestLineBytes;
    const value = isTooLarge ? '' : contentOf(element);
    if (open.length > 0) return addTo(open.at(-1)!.value, element.name, value);
    count += 1;
    const row = typeof value === 'string' ? { '#text': value } : value;
    const text = isTooLarge ? '' : JSON.stringify(row);
    found.push({ line: count, text, row, ...(isTooLarge && { fault: tooLarge }) });
  });
  parser.on('error', (error) => {
    /** Entities of HTML, which feeds contain by mistake, stay as they are written. */
    if (!error.message.includes('undefined entity'))
      throw new Error(`The XML is damaged at ${error.message}`);
  });
  return parser;
}

function contentOf({ value, text }: Element): string | Record<string, unknown> {
  const trimmed = text.trim();
  if (Object.keys(value).length === 0) return trimmed;
  return trimmed === '' ? value : { ...value, '#text': trimmed };
}

function addTo(parent: Record<string, unknown>, name: string, value: unknown): void {
  const before = parent[name];
  if (before === undefined) parent[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else parent[name] = [before, value];
}
