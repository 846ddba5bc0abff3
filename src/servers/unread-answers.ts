/**
 * Counts the bytes of answers that peers have not read (`limits.unread_bytes_per_peer`, `limits.unread_bytes`). They stay in this
 * process until then, so clients that never read would fill its memory.
 *
 * A peer over its bound is refused. Where all together are over theirs, the peer with the most loses its largest answers, so
 * that the others are still served.
 */

import type { ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { DomainError } from '../errors.ts';
import type { Call } from '../handlers/chain/call.ts';

/** After which an answer of which nothing is read is given up. Streams wait for their reader, and hold little meanwhile. */
export const unreadMs = 30_000;

export type UnreadBounds = { perPeer: number; total: number; keyOf(address: string): string };

export type UnreadAnswers = {
  /** @throws RATE_LIMITED, before any work is done, while the peer has half of the bytes unread that it may. */
  check(peer: string): void;
  /**
   * Counts an answer that will be sent.
   *
   * @param giveUp Drops the answer, so that its memory is free.
   * @returns What is to be called when the answer was read, or dropped; more than once does no harm.
   * @throws RATE_LIMITED when the peer would have more bytes unread than it may.
   */
  hold(peer: string, byteCount: number, giveUp: () => void): () => void;
  readonly totalBytes: number;
};

type Held = { byteCount: number; giveUp: () => void; release: () => void };

type Reader = { key: string; byteCount: number; large: Set<Held> | undefined };

/** Smaller answers are counted, and not looked for where memory is short. */
const largeBytes = 65_536;

/** Peers that are remembered with nothing unread: entries that come and go with each call leave tables behind. */
const mostIdle = 1_000;

/** Of a peer's bytes, up to which further calls are begun; the rest is for the answers of those under way. */
const admittedShare = 0.5;

const retryAfterSeconds = '5';

export function createUnreadAnswers({ perPeer, total, keyOf }: UnreadBounds): UnreadAnswers {
  const readers = new Map<string, Reader>();
  let totalBytes = 0;

  const readerOf = (peer: string): Reader => {
    const key = keyOf(peer);
    const known = readers.get(key);
    if (known) return known;
    const reader = { key, byteCount: 0, large: undefined };
    readers.set(key, reader);
    return reader;
  };

  const count = (reader: Reader, byteCount: number) => {
    reader.byteCount += byteCount;
    totalBytes += byteCount;
    if (reader.byteCount === 0 && readers.size > mostIdle) readers.delete(reader.key);
  };

  /** Gives up answers of the peers with the most until there is room for another one. */
  const makeRoom = (byteCount: number) => {
    while (totalBytes + byteCount > total) {
      const withLarge = [...readers.values()].filter(({ large }) => large !== undefined && large.size > 0);
      if (withLarge.length === 0) return;
      const most = withLarge.reduce((a, b) => (b.byteCount > a.byteCount ? b : a));
      for (const held of [...most.large!]) {
        held.release();
        held.giveUp();
      }
    }
  };

  return {
    get totalBytes() {
      return totalBytes;
    },
    check(peer) {
      const reader = readers.get(keyOf(peer));
      if (reader !== undefined && reader.byteCount >= perPeer * admittedShare) throw tooMuchUnread(perPeer);
    },
    hold(peer, byteCount, giveUp) {
      const reader = readerOf(peer);
      /** A peer that has read everything gets its answer, whatever its size. */
      if (reader.byteCount > 0 && reader.byteCount + byteCount > perPeer) throw tooMuchUnread(perPeer);
      if (totalBytes + byteCount > total) makeRoom(byteCount);
      if (reader.byteCount > 0 && totalBytes + byteCount > total) throw tooMuchUnread(total);
      count(reader, byteCount);
      let isHeld = true;
      const release = () => {
        if (!isHeld) return;
        isHeld = false;
        if (held) reader.large?.delete(held);
        count(reader, -byteCount);
      };
      const held: Held | undefined = byteCount < largeBytes ? undefined : { byteCount, giveUp, release };
      if (held) {
        reader.large ??= new Set();
        reader.large.add(held);
      }
      return release;
    },
  };
}

/** Counts an answer of the HTTP port until its connection has taken it. Nothing is read of it for long: the connection closes. */
export function holdUnread(
  unread: UnreadAnswers,
  { call, byteCount, response }: { call: Call; byteCount: number; response: ServerResponse },
): void {
  response.once(
    'close',
    unread.hold(call.peer, byteCount, () => response.destroy()),
  );
  /** Node begins its own timeout again when the answer has been taken. */
  response.socket?.setTimeout(unreadMs);
}

/**
 * Counts an answer of the gRPC port until the system has taken it: a stream's writing ends then. One that is cut off before may
 * have left its bytes with the connection; they have gone when the peer answers a ping that was sent behind them.
 */
export function holdUnreadStream(
  unread: UnreadAnswers,
  { call, byteCount, stream }: { call: Call; byteCount: number; stream: ServerHttp2Stream },
): void {
  const { session } = stream;
  const giveUp = () => stream.close(constants.NGHTTP2_CANCEL);
  const release = unread.hold(call.peer, byteCount, giveUp);
  stream.once('finish', release);
  stream.once('close', () => {
    if (stream.writableFinished || session === undefined || session.destroyed || !session.ping(release))
      release();
  });
  stream.setTimeout(unreadMs, giveUp);
}

function tooMuchUnread(perPeer: number): DomainError {
  const message = `More than ${perPeer} bytes of answers are unread. Read them, or close their connections; try again in ${retryAfterSeconds} s.`;
  return new DomainError('RATE_LIMITED', message, {
    metadata: { retry_after_seconds: retryAfterSeconds, limit_bytes: String(perPeer) },
  });
}
