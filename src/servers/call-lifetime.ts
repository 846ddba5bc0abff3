/**
 * Follows one call until both its work and its answer have ended. They end at different moments: a caller may go while the
 * work goes on, and may read its answer long after the work is done.
 *
 * A plain object, and the signal made at once: a getter in the literal of each call gives every call a shape of its own, which
 * made all that reads calls slower by a tenth.
 */

import type { Call } from '../handlers/chain/call.ts';

export type CallLifetime = {
  readonly controller: AbortController;
  /** Once there is one. */
  call: Call | undefined;
  workCount: number;
  isAnswerOver: boolean;
};

export function createCallLifetime(): CallLifetime {
  return { controller: new AbortController(), call: undefined, workCount: 0, isAnswerOver: false };
}

/** Marks the start of a part of the work. Returns false when everything has ended: nobody waits for it any more. */
export function beginWork(lifetime: CallLifetime): boolean {
  if (isOver(lifetime)) return false;
  lifetime.workCount += 1;
  return true;
}

/** Marks the end of that part. The caller's slot is free when the answer has ended, too. */
export function endWork(lifetime: CallLifetime): void {
  lifetime.workCount -= 1;
  if (isOver(lifetime)) lifetime.call?.leave?.();
}

/** Marks that the answer was taken or can no longer be. Work that goes on is told by the call's signal. */
export function endAnswer(lifetime: CallLifetime): void {
  if (lifetime.isAnswerOver) return;
  lifetime.isAnswerOver = true;
  if (lifetime.workCount > 0) lifetime.controller.abort();
  else lifetime.call?.leave?.();
}

export function isOver({ isAnswerOver, workCount }: CallLifetime): boolean {
  return isAnswerOver && workCount === 0;
}
