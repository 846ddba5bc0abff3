/**
 * Sends batches over a stream with a bounded number of them unanswered, and hands on each answer in order.
 *
 * The window is what bounds memory and respects the service's pace: nothing further is read from the input while it is full.
 */

import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Batch } from '../../formats/records/batches.ts';

/** What the service says to a batch. */
export type BatchAnswer = {
  accepted_count: number;
  refused: { line: number; details: { pointer: string; detail: string }[] }[];
};

export type SendOptions = {
  call: ClientDuplexStream<unknown, BatchAnswer>;
  batches: AsyncIterable<Batch>;
  toRequest(batch: Batch): unknown;
  /** Called in order, once a batch is durable; one without records has no answer. */
  acknowledge(batch: Batch, answer: BatchAnswer | undefined): Promise<void>;
  mostInFlight: number;
  /** A service that takes longer over a batch is taken for stuck. */
  answerTimeoutMs: number;
};

/** @throws The call's failure; batches that were not acknowledged by then may or may not be stored. */
export async function sendBatches(options: SendOptions): Promise<void> {
  const { call, batches, toRequest, acknowledge, mostInFlight } = options;
  const answers = readAnswers(call, options.answerTimeoutMs);
  const inFlight: Batch[] = [];
  const settleOldest = async () => {
    const batch = inFlight.shift()!;
    await acknowledge(batch, batch.records.length > 0 ? await answers.next() : undefined);
  };
  try {
    for await (const batch of batches) {
      answers.throwIfFailed();
      if (inFlight.length >= mostInFlight) await settleOldest();
      inFlight.push(batch);
      if (batch.records.length > 0) call.write(toRequest(batch));
    }
    while (inFlight.length > 0) await settleOldest();
    call.end();
    await answers.ended();
  } finally {
    call.cancel();
  }
}

/** The stream's messages one by one. grpc-js ends a failed stream before it says why, so the status decides. */
function readAnswers<Answer>(call: ClientDuplexStream<unknown, Answer>, timeoutMs: number) {
  const waiting: Answer[] = [];
  let failure: Error | undefined;
  let isOver = false;
  let wake = () => {};
  call.on('data', (answer: Answer) => {
    waiting.push(answer);
    wake();
  });
  call.on('error', (error: Error) => {
    failure = error;
    isOver = true;
    wake();
  });
  call.on('status', () => {
    isOver = true;
    wake();
  });
  const news = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const timer = setTimeout(() => {
      failure = new Error(`The service has not answered for ${timeoutMs / 1_000} seconds.`);
      isOver = true;
      resolve();
    }, timeoutMs);
    await promise;
    clearTimeout(timer);
  };
  const throwIfFailed = () => {
    if (failure) throw failure;
  };
  return {
    throwIfFailed,
    async next(): Promise<Answer> {
      while (waiting.length === 0 && !isOver) await news();
      const answer = waiting.shift();
      if (answer !== undefined) return answer;
      throwIfFailed();
      throw new Error('The service ended the import before it had answered every batch.');
    },
    async ended(): Promise<void> {
      while (!isOver) await news();
      throwIfFailed();
    },
  };
}
