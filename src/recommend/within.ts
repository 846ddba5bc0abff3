/** The promise's value, or undefined when it does not come in time or fails; `onMissing` is told the failure. */
export async function within<T>(
  waitMs: number,
  promise: Promise<T>,
  onMissing: (failure?: unknown) => void,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const giveUp = (failure?: unknown) => {
      onMissing(failure);
      resolve(undefined);
    };
    const timer = setTimeout(giveUp, Math.max(0, waitMs));
    promise.then(resolve, giveUp).finally(() => clearTimeout(timer));
  });
}
