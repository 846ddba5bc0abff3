/** The turn of a call on the thread that answers calls. */

import type { Call } from '../handlers/chain/call.ts';
import type { TurnJob } from '../ranking/runtime/slices.ts';

/** Bytes of a request that take as long to read as an empty request takes to answer. */
const bytesPerCost = 20_000;

/** @param requestBytes Of the request's body or message. */
export function turnOf(call: Call, requestBytes: number): TurnJob {
  const { callerKey, peer, signal } = call;
  return { flow: callerKey ?? peer, cost: 1 + requestBytes / bytesPerCost, signal };
}
