/** Streams of answers: observing them, and writing them no faster than they are read. */

import type { EventEmitter } from 'node:events';
import type { Observation } from '../handlers/chain/call.ts';

/** Yields the same answers, each computed within the observed call. */
export async function* observedStream<T>(
  observation: Observation,
  answers: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const iterator = observation.run(() => answers()[Symbol.asyncIterator]());
  try {
    while (true) {
      const { done, value } = await observation.run(() => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

const drainEvents = ['drain', 'cancelled', 'close'];

/** Resolves when the reader has taken the written data or has disconnected. */
export function drained(writable: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of drainEvents) writable.off(event, done);
      resolve();
    };
    for (const event of drainEvents) writable.on(event, done);
  });
}
