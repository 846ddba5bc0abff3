/**
 * Reads the dump of Gorse (`GET /api/dump`): messages of Protobuf (gorse `protocol.proto`), each after its length as a
 * 64-bit number, little-endian. A negative number begins the users (-1), items (-2) or feedback (-3), and 0 ends the file.
 */

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { RecordKind } from '../mapping/mapping.ts';
import { longestLineBytes } from './lines.ts';
import type { SourceRow } from './rows.ts';

/** Fields by number, with the names of Gorse's JSON. */
const fields: Readonly<Record<RecordKind, Readonly<Record<number, string>>>> = {
  items: { 2: 'ItemId', 3: 'IsHidden', 4: 'Categories', 5: 'Timestamp', 6: 'Labels', 7: 'Comment' },
  events: {
    2: 'FeedbackType',
    3: 'UserId',
    4: 'ItemId',
    5: 'Value',
    6: 'Timestamp',
    7: 'Comment',
    9: 'Labels',
  },
};

const streams: Readonly<Record<string, RecordKind>> = { '-2': 'items', '-3': 'events' };

/** @throws Error for bytes that are no dump. */
export async function* readGorseDump(
  chunks: AsyncIterable<Uint8Array>,
  kind: RecordKind,
): AsyncGenerator<SourceRow> {
  let line = 0;
  let stream = '';
  for await (const { size, message } of readFrames(chunks)) {
    if (size < 0) stream = String(size);
    if (message === undefined || streams[stream] !== kind) continue;
    line += 1;
    const row = readMessage(message, fields[kind]);
    yield { line, row, text: JSON.stringify(row) };
  }
}

const headBytes = 8;

async function* readFrames(chunks: AsyncIterable<Uint8Array>) {
  let rest = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = new Uint8Array(rest.length + chunk.length);
    bytes.set(rest);
    bytes.set(chunk, rest.length);
    const view = new DataView(bytes.buffer);
    let start = 0;
    while (bytes.length - start >= headBytes) {
      const size = Number(view.getBigInt64(start, true));
      if (size < -3 || size > longestLineBytes) throw new Error('The file is not a dump of Gorse.');
      if (size === 0) return;
      const end = start + headBytes + Math.max(0, size);
      if (end > bytes.length) break;
      yield { size, message: size > 0 ? bytes.subarray(start + headBytes, end) : undefined };
      start = end;
    }
    rest = bytes.slice(start);
  }
  throw new Error('The dump of Gorse is incomplete.');
}

function readMessage(bytes: Uint8Array, names: Readonly<Record<number, string>>): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const name = names[number];
    if (name === undefined) reader.skip(type, number);
    else if (name === 'Timestamp') row[name] = readTime(reader.bytes());
    else if (name === 'Labels') row[name] = JSON.parse(reader.string());
    else if (name === 'Categories') row[name] = [...((row[name] as string[]) ?? []), reader.string()];
    else if (type === WireType.Bit64) row[name] = reader.double();
    else row[name] = type === WireType.Varint ? reader.bool() : reader.string();
  }
  return row;
}

/** Returns undefined for the zero time of Go. */
function readTime(bytes: Uint8Array): string | undefined {
  const reader = new BinaryReader(bytes);
  let ms = 0;
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === 1) ms += Number(reader.int64()) * 1_000;
    else if (number === 2) ms += Math.floor(reader.int32() / 1e6);
    else reader.skip(type, number);
  }
  return ms > 0 ? new Date(ms).toISOString() : undefined;
}
