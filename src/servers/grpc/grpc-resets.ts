/**
 * Counts the calls that callers give up. HTTP/2 lets a client open and reset streams as quickly as it can send, and each costs
 * the server a call's beginning (CVE-2023-44487). A caller gives up calls too when the service is slow, and must not lose its
 * connection for that: whoever has shown a token may do so far more often.
 */

import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

export type ResetBudget = {
  /** Counts a call that was given up. Returns false when that were too many. */
  take(address: string, isKnown: boolean): boolean;
};

export type ResetGuard = {
  watch(stream: ServerHttp2Stream): void;
  /** Notes that the connection has carried a call with a valid token. */
  noteKnown(stream: ServerHttp2Stream): void;
};

/** @param isProxy Whether an address is a trusted proxy's, whose connections carry the calls of many. */
export function createResetGuard(budget: ResetBudget, isProxy: (address: string) => boolean): ResetGuard {
  const known = new WeakSet<Http2Session>();
  const count = (session: Http2Session) => {
    /** Absent while a connection ends: its streams end with it. */
    const address = (session.socket as Socket | undefined)?.remoteAddress;
    if (address === undefined || session.destroyed || session.closed) return;
    if (!budget.take(address, known.has(session) || isProxy(address)))
      session.destroy(new Error('Too many calls were given up.'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
  return {
    watch(stream) {
      const { session } = stream;
      if (session === undefined) return;
      stream.once('close', () => {
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) count(session);
      });
    },
    noteKnown({ session }) {
      if (session !== undefined) known.add(session);
    },
  };
}
