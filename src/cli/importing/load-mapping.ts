import { readFile } from 'node:fs/promises';
import { type Mapping, parseMapping, type RecordKind } from '../../formats/records/mapping/mapping.ts';

const longestFileBytes = 1_048_576;

/** @throws Error with one line a fault: `mapping.yaml:12: items.title: …`. */
export async function loadMapping(path: string, kind: RecordKind): Promise<Mapping> {
  const text = await readFile(path, 'utf8');
  if (text.length > longestFileBytes) throw new Error(`${path} is larger than ${longestFileBytes} bytes.`);
  return parseMapping(text, path, kind);
}
