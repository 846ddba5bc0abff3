/**
 * Sends batches over a stream with a bounded number of unanswered ones, and passes on each answer in order. The bound limits
 * memory and follows the pace of the service: while it is reached, nothing more is read from the input.
 */

import { PassThrough } from 'node:stream';
import type { Batch } from '../../formats/records/batches.ts';

export type BatchAnswer = {
  acceptedCount: number;
  /** Items that are not newer than the stored ones; events have none. */
  olderCount?: number;
  refused: readonly { line: bigint; details: readonly { pointer: string; detail: string }[] }[];
};

/** A call of the service that takes a request for each batch and returns an answer for each. */
export type BatchCall = (requests: AsyncIterable<unknown>, signal: AbortSignal) => AsyncIterable<BatchAnswer>;

export type SendOptions = {
  call: BatchCall;
  batches: AsyncIterable<Batch>;
  toRequest(batch: Batch): unknown;
  /** Called in order once a batch is durable; a batch without records has no answer. */
  acknowledge(batch: Batch, answer: BatchAnswer | undefined): Promise<void>;
  mostInFlight: number;
  /** A service that takes longer to answer counts as stuck. */
  answerTimeoutMs: number;
  signal: AbortSignal;
};

/** @throws The failure of the call; batches without acknowledgement may or may not be stored. */
export async function sendBatches(options: SendOptions): Promise<void> {
  const { call, batches, toRequest, acknowledge, mostInFlight, answerTimeoutMs } = options;
  const ending = new AbortController();
  const requests = new PassThrough({ objectMode: true });
  const signal = AbortSignal.any([ending.signal, options.signal]);
  const answers = readAhead(call(requests, signal), answerTimeoutMs);
  const inFlight: Batch[] = [];
  const settleOldest = async () => {
    const batch = inFlight.shift()!;
    await acknowledge(batch, batch.records.length > 0 ? await answers.next() : undefined);
  };
  try {
    for await (const batch of batches) {
      if (inFlight.length >= mostInFlight) await settleOldest();
      inFlight.push(batch);
      if (batch.records.length > 0) requests.write(toRequest(batch));
    }
    while (inFlight.length > 0) await settleOldest();
    requests.end();
    await answers.end();
  } finally {
    requests.end();
    ending.abort();
  }
}

/** Reads one answer ahead: the call begins with the first read. */
function readAhead(answers: AsyncIterable<BatchAnswer>, timeoutMs: number) {
  const iterator = answers[Symbol.asyncIterator]();
  const read = () => {
    const answer = iterator.next();
    /** A failure is thrown where the answer is awaited. */
    answer.catch(() => undefined);
    return answer;
  };
  let ahead = read();
  const receive = async () => {
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const seconds = timeoutMs / 1_000;
    const timer = setTimeout(
      () => reject(new Error(`The service has not answered for ${seconds} seconds.`)),
      timeoutMs,
    );
    try {
      return await Promise.race([ahead, timeout]);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    async next(): Promise<BatchAnswer> {
      const { done, value } = await receive();
      if (done) throw new Error('The service ended the import before it had answered every batch.');
      ahead = read();
      return value;
    },
    async end(): Promise<void> {
      await receive();
    },
  };
}
