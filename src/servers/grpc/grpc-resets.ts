/**
 * Counts cancelled calls per peer. HTTP/2 lets a client open and reset streams as fast as it can send, and each costs the
 * server the start of a call (CVE-2023-44487). Ordinary callers cancel too when the service is slow and must not lose their
 * connection for it, so a peer with a valid token has a far larger budget.
 */

import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';

export type ResetBudget = {
  /** Counts a cancelled call. Returns false when the peer is over its budget. */
  take(address: string, isKnown: boolean): boolean;
};

export type ResetGuard = {
  watch(stream: ServerHttp2Stream): void;
  /** Marks that the stream's connection has carried a call with a valid token. */
  noteKnown(stream: ServerHttp2Stream): void;
};

/** @param isProxy Whether an address is a trusted proxy, whose connections carry the calls of many peers. */
export function createResetGuard(budget: ResetBudget, isProxy: (address: string) => boolean): ResetGuard {
  const known = new WeakSet<Http2Session>();
  const count = (session: Http2Session) => {
    /** The socket is absent while a connection ends, which resets its streams. */
    const address = session.socket?.remoteAddress;
    if (address === undefined || session.destroyed || session.closed) return;
    if (!budget.take(address, known.has(session) || isProxy(address)))
      session.destroy(new Error('The peer cancelled too many calls.'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
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
