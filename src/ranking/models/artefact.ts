/**
 * Packs all trained arrays of one environment into one shared buffer, for storage or other threads.
 *
 * Layout, little-endian: 16-byte header (magic, format version, CRC-32 of the rest, length of the
 * directory), the directory (JSON: path, array type, offset and length of each array), then the
 * arrays, aligned to 8 bytes. Reading returns views and copies nothing. Any tree of typed arrays
 * fits, so a new model needs no change here.
 */

import { crc32 } from 'node:zlib';
import type { StringTable } from './arrays/string-table.ts';
import type { ModelTables } from './registry.ts';

/** Tables of each trained model, and the item keys that their indexes refer to. */
export type TrainedModels = ModelTables & {
  /** Local index → item key. */
  itemKeys: StringTable;
  /** Blend weights, see learning/learnt-blends.ts; absent while data are too few. */
  learnt?: StringTable;
  /** One number: Unix seconds of the newest event read. */
  trainedUntil?: Float64Array;
  /** All local items in the order that fills lists without personal results. */
  fallbackOrder?: Int32Array;
  /** All local items, newest first; only where lists fall back on age before the trend. */
  newestOrder?: Int32Array;
};

export type UnpackResult = { ok: true; models: TrainedModels } | { ok: false; reason: string };

/** `PMDL` */
const magic = 0x4c444d50;
/** Raise it when the meaning of a table changes: older artefacts are then refused and retrained. */
const formatVersion = 3;
const headerBytes = 16;

const arrayTypes = { Int32Array, Float32Array, Float64Array, Uint8Array };
type ArrayType = keyof typeof arrayTypes;
type PackedArray = Int32Array | Float32Array | Float64Array | Uint8Array;
type Tree = { [name: string]: PackedArray | Tree };
type Section = { path: string[]; type: ArrayType; offset: number; length: number };

export function packModels(models: TrainedModels): SharedArrayBuffer {
  const arrays = [...flatten(models as Tree, [])];
  const { sections, bodyBytes } = placeSections(arrays);
  const directory = Buffer.from(JSON.stringify(sections), 'utf8');
  const bodyStart = align(headerBytes + directory.length);
  const buffer = new SharedArrayBuffer(bodyStart + bodyBytes);
  const bytes = new Uint8Array(buffer);
  bytes.set(directory, headerBytes);
  arrays.forEach(({ array }, place) => {
    const source = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    bytes.set(source, bodyStart + sections[place].offset);
  });
  const header = new DataView(buffer, 0, headerBytes);
  header.setUint32(0, magic, true);
  header.setUint32(4, formatVersion, true);
  header.setUint32(12, directory.length, true);
  header.setUint32(8, checksum(buffer), true);
  return buffer;
}

/** Returns views into the buffer, or why it is unusable: format, version or damage. */
export function unpackModels(buffer: ArrayBuffer | SharedArrayBuffer): UnpackResult {
  return unpackSummed(buffer, buffer.byteLength < headerBytes ? 0 : checksum(buffer));
}

/** Bytes checked per slice: about 2 ms. */
const bytesPerTurn = 2 * 1024 * 1024;

/** Unpacks in slices, so the thread can answer requests: checking a gigabyte takes a second. */
export async function unpackModelsInTurns(
  buffer: ArrayBuffer | SharedArrayBuffer,
  giveWay: () => Promise<unknown>,
): Promise<UnpackResult> {
  let sum = 0;
  for (let start = 12; start < buffer.byteLength; start += bytesPerTurn) {
    sum = crc32(new Uint8Array(buffer, start, Math.min(bytesPerTurn, buffer.byteLength - start)), sum);
    await giveWay();
  }
  return unpackSummed(buffer, sum);
}

/** Views a buffer that another thread has unpacked, without checking it again. */
export function viewModels(buffer: SharedArrayBuffer): TrainedModels {
  const unpacked = unpackSummed(buffer, new DataView(buffer).getUint32(8, true));
  if (!unpacked.ok) throw new Error(`The models cannot be used: ${unpacked.reason}.`);
  return unpacked.models;
}

function unpackSummed(buffer: ArrayBuffer | SharedArrayBuffer, sum: number): UnpackResult {
  if (buffer.byteLength < headerBytes) return { ok: false, reason: 'shorter than a header' };
  const header = new DataView(buffer, 0, headerBytes);
  if (header.getUint32(0, true) !== magic) return { ok: false, reason: 'not a model artefact' };
  const version = header.getUint32(4, true);
  if (version !== formatVersion) {
    return { ok: false, reason: `format version ${version} instead of ${formatVersion}` };
  }
  if (header.getUint32(8, true) !== sum) return { ok: false, reason: 'checksum does not match' };
  const directoryBytes = header.getUint32(12, true);
  const directory = Buffer.from(buffer as ArrayBuffer, headerBytes, directoryBytes).toString('utf8');
  const sections: Section[] = JSON.parse(directory);
  return {
    ok: true,
    models: restore(buffer, sections, align(headerBytes + directoryBytes)) as TrainedModels,
  };
}

function* flatten(tree: Tree, path: string[]): Generator<{ path: string[]; array: PackedArray }> {
  for (const name of Object.keys(tree).sort()) {
    const value = tree[name];
    if (value === undefined) continue;
    if (ArrayBuffer.isView(value)) yield { path: [...path, name], array: value };
    else yield* flatten(value, [...path, name]);
  }
}

function placeSections(arrays: { path: string[]; array: PackedArray }[]) {
  let bodyBytes = 0;
  const sections = arrays.map(({ path, array }): Section => {
    const offset = bodyBytes;
    bodyBytes = align(bodyBytes + array.byteLength);
    return { path, type: array[Symbol.toStringTag], offset, length: array.length };
  });
  return { sections, bodyBytes };
}

function restore(buffer: ArrayBuffer | SharedArrayBuffer, sections: Section[], bodyStart: number): Tree {
  const root: Tree = {};
  for (const { path, type, offset, length } of sections) {
    const parent = path.slice(0, -1).reduce((tree, name) => {
      tree[name] ??= {};
      return tree[name] as Tree;
    }, root);
    parent[path.at(-1)!] = new arrayTypes[type](buffer as ArrayBuffer, bodyStart + offset, length);
  }
  return root;
}

function align(byteCount: number): number {
  return (byteCount + 7) & ~7;
}

/** Covers all but the first 12 bytes, so it also detects a damaged directory length. */
function checksum(buffer: ArrayBuffer | SharedArrayBuffer): number {
  return crc32(new Uint8Array(buffer, 12));
}
