/**
 * Tells a thread which of its tasks was given up, while the thread is busy and reads no messages: shared memory, in which each
 * cell holds the id of the task that was given up last among those that share the cell.
 */

/** More than a thread is ever given at once, so tasks under way never share a cell. */
const cellCount = 64;

export type CancelledTasks = {
  readonly cells: SharedArrayBuffer;
  /** @param taskId From 1. */
  cancel(taskId: number): void;
  isCancelled(taskId: number): boolean;
};

export function createCancelledTasks(cells = new SharedArrayBuffer(cellCount * 4)): CancelledTasks {
  const taskIds = new Int32Array(cells);
  return {
    cells,
    cancel: (taskId) => void Atomics.store(taskIds, taskId % cellCount, taskId),
    isCancelled: (taskId) => Atomics.load(taskIds, taskId % cellCount) === taskId,
  };
}
