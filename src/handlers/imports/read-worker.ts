/**
 * A thread that reads the file of an import, so that neither a large document nor a slow expression
 * of a mapping delays requests. It asks for the parts of the file one by one, and sends batches;
 * each message waits for its answer.
 */

import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, groupBatches } from '../../formats/records/batches.ts';
import type { Format } from '../../formats/records/formats.ts';
import { parseMapping } from '../../formats/records/mapping/mapping.ts';
import { openRows, toOutcomes } from '../../formats/records/open-records.ts';
import type { Rows } from '../../formats/records/reading/rows.ts';

export type ReadOrder = {
  format: Format;
  partCount: number;
  /** Empty for none. */
  mapping: string;
  itemType: string | undefined;
  /** IANA zone of times without an offset. */
  timeZone: string;
  /** Types of declared properties by name, by item type. */
  properties: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Records up to this line are left out. */
  afterLine: number;
};

export type ReadMessage =
  | { kind: 'part'; part: number }
  | { kind: 'batch'; batch: Batch; heading: Rows['heading']; progress: number }
  | { kind: 'end' }
  | { kind: 'fault'; detail: string };

if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

const limits = { mostRecords: 1_000, mostBytes: 2 * 1_048_576 };
const chunkBytes = 65_536;

const order = workerData as ReadOrder;
let progress = 0;

async function ask(message: ReadMessage): Promise<unknown> {
  parentPort!.postMessage(message);
  return (await once(parentPort!, 'message'))[0];
}

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < order.partCount; part += 1) {
    const text = Buffer.from((await ask({ kind: 'part', part })) as string);
    for (let start = 0; start < text.length; start += chunkBytes) {
      progress = (part + start / text.length) / order.partCount;
      yield text.subarray(start, start + chunkBytes);
    }
  }
  progress = 1;
}

async function read(): Promise<void> {
  const { format, itemType, timeZone, properties, afterLine } = order;
  const mapping = order.mapping === '' ? undefined : parseMapping(order.mapping, 'mapping', 'items');
  const file = { chunks: chunks(), format, kind: 'items' as const, mapping, encoding: 'utf-8' };
  const opened = await openRows({ ...file, note: () => undefined });
  const isDeclared = (type: string, name: string) => properties.get(type)?.has(name) ?? false;
  const options = {
    ...{ kind: 'items' as const, itemType, timeZone, eventIdPrefix: '' },
    propertyTypes: new Map([...properties.values()].flatMap((types) => [...types])),
    isDeclared: opened.mapping?.isLenient ? isDeclared : undefined,
  };
  for await (const batch of groupBatches(toOutcomes(opened, options, afterLine), limits))
    await ask({ kind: 'batch', batch: { ...batch, unmapped: [] }, heading: opened.heading, progress });
}

read().then(
  () => parentPort!.postMessage({ kind: 'end' }),
  (error: Error) => parentPort!.postMessage({ kind: 'fault', detail: error.message }),
);
