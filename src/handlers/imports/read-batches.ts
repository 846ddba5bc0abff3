/** Reads the file of an import in a thread, batch by batch. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReadMessage, ReadOrder } from './read-worker.ts';

/** A fault of the file or its mapping. */
export class UnreadableFile extends Error {}

/** Longest time between two messages of the thread. */
const patienceMs = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 1_024 };

type ReadBatch = Extract<ReadMessage, { kind: 'batch' }>;

/** @param readPart Returns the text of a part. @throws UnreadableFile */
export async function* readBatches(
  order: ReadOrder,
  readPart: (part: number) => Promise<string>,
  signal: AbortSignal,
): AsyncGenerator<ReadBatch> {
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url), {
    workerData: order,
    resourceLimits,
  });
  /** The thread waits while nobody listens here. */
  worker.on('error', () => undefined);
  try {
    for (;;) {
      const message = await nextMessage(worker, signal);
      if (message.kind === 'end') return;
      if (message.kind === 'fault') throw new UnreadableFile(message.detail);
      if (message.kind === 'batch') yield message;
      worker.postMessage(message.kind === 'part' ? await readPart(message.part) : '');
    }
  } finally {
    await worker.terminate();
  }
}

async function nextMessage(worker: Worker, signal: AbortSignal): Promise<ReadMessage> {
  const timeout = AbortSignal.timeout(patienceMs);
  try {
    const [message] = await once(worker, 'message', { signal: AbortSignal.any([signal, timeout]) });
    return message;
  } catch (error) {
    if (signal.aborted) throw error;
    const cause = timeout.aborted ? 'It takes too long' : (error as Error).message;
    throw new UnreadableFile(`The file cannot be read. ${cause}.`, { cause: error });
  }
}
