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
