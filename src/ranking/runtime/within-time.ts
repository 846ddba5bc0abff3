import { DomainError } from '../../errors.ts';

/**
 * Returns the promise's value, or undefined when it fails or takes too long. Ignores a late result.
 *
 * @param onMissing Called once without a value, with the failure if there is one.
 */
export async function withinTime<T>(
  waitMs: number,
  promise: Promise<T>,
  onMissing: (failure?: unknown) => void = () => undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    let isOver = false;
    const giveUp = (failure?: unknown) => {
      clearTimeout(timer);
      if (isOver) return;
      isOver = true;
      onMissing(failure);
      resolve(undefined);
    };
    const timer = setTimeout(giveUp, Math.max(0, waitMs));
    promise.then((value) => {
      clearTimeout(timer);
      isOver = true;
      resolve(value);
    }, giveUp);
  });
}

/**
 * Returns the promise's value. Ignores a late result.
 *
 * @throws UNAVAILABLE when the promise takes too long.
 */
export async function orUnavailable<T>(waitMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(waitMs)), Math.max(0, waitMs));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function unavailable(waitMs: number): DomainError {
  const message = 'The database did not answer in time; try again in a moment.';
  return new DomainError('UNAVAILABLE', message, { metadata: { wait_ms: String(Math.round(waitMs)) } });
}
