import { DomainError } from '../../errors.ts';

/**
 * The promise's value, or undefined when it does not come in time or fails; `onMissing` is told so once,
 * with the failure if there was one. What comes too late is let go on, unheard.
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
 * Returns the promise's value where nothing can stand in for it. What comes too late is let go on, unheard.
 *
 * @throws UNAVAILABLE when it does not come in time.
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
