import type { Observation } from '../handlers/chain/call.ts';

/** The same answers, each made within the observed call. */
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
