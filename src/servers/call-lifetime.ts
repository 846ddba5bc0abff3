/**
 * Follows one call until both its work and its answer have ended. A caller may leave while the work goes on, and may
 * read its answer long after the work is done.
 *
 * A plain object with an eager signal: a getter in the literal would give each call a hidden class of its own, which
 * slowed down all code that reads calls by a tenth.
 */

import type { Call } from '../handlers/chain/call.ts';
import type { TurnJob } from '../ranking/runtime/slices.ts';

export type CallLifetime = {
  readonly controller: AbortController;
  /** Undefined until the headers are read. */
  call: Call | undefined;
  /** Parts of the work in progress. */
  workCount: number;
  isAnswerOver: boolean;
};

export function createCallLifetime(): CallLifetime {
  return { controller: new AbortController(), call: undefined, workCount: 0, isAnswerOver: false };
}

/** Marks the start of a part of the work. Returns false when the call is over and the work is pointless. */
export function beginWork(lifetime: CallLifetime): boolean {
  if (isOver(lifetime)) return false;
  lifetime.workCount += 1;
  return true;
}

/** Marks the end of a part of the work. Frees the caller's slot if the answer has ended too. */
export function endWork(lifetime: CallLifetime): void {
  lifetime.workCount -= 1;
  if (isOver(lifetime)) lifetime.call?.leave?.();
}

/** Marks that the answer was read or never will be. Aborts the call's signal if work is in progress. */
export function endAnswer(lifetime: CallLifetime): void {
  if (lifetime.isAnswerOver) return;
  lifetime.isAnswerOver = true;
  if (lifetime.workCount > 0) lifetime.controller.abort();
  else lifetime.call?.leave?.();
}

export function isOver({ isAnswerOver, workCount }: CallLifetime): boolean {
  return isAnswerOver && workCount === 0;
}

/** Request bytes that take as long to decode as an empty request takes to answer. */
const bytesPerCost = 20_000;

/** Returns the call's job for the fair queue of the answering thread. @param requestBytes Size of the body or message. */
export function turnOf({ callerKey, peer, signal }: Call, requestBytes: number): TurnJob {
  return { flow: callerKey ?? peer, cost: 1 + requestBytes / bytesPerCost, signal };
}
