/**
 * Counts the bytes of answers that peers have not read (`limits.unread_bytes_per_peer`, `limits.unread_bytes`). They stay in
 * memory until then, so clients that never read would fill it.
 *
 * A peer over its bound is refused. When all peers together are over theirs, the peer with the most unread bytes loses its
 * largest answers, so that the others are still served.
 */

import type { ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { DomainError } from '../errors.ts';
import type { Call } from '../handlers/chain/call.ts';

/** An answer without progress is dropped after this time. Streams are exempt: they hold little while they wait. */
const unreadMs = 30_000;

export type UnreadBounds = {
  perPeer: number;
  total: number;
  /** Maps an address to the key under which its bytes are counted. */
  keyOf(address: string): string;
};

export type UnreadAnswers = {
  /** Called before any work is done. @throws RATE_LIMITED while half of the peer's bytes are unread. */
  check(peer: string): void;
  /**
   * Counts an answer that is about to be sent.
   *
   * @param drop Drops the answer, which frees its memory.
   * @returns A function to call when the answer was read or dropped; repeated calls have no effect.
   * @throws RATE_LIMITED when the answer would exceed a bound.
   */
  hold(peer: string, byteCount: number, drop: () => void): () => void;
  readonly totalBytes: number;
};

type LargeAnswer = { drop: () => void; release: () => void };

type Reader = { key: string; byteCount: number; large: Set<LargeAnswer> };

/** Smaller answers are counted but not dropped when memory is short. */
const largeBytes = 65_536;

/** Idle peers that are kept: a map that changes with each call leaves garbage in old space. */
const maxIdleReaders = 1_000;

/** The share of a peer's bytes below which calls are admitted; the rest is for answers of calls in progress. */
const admittedShare = 0.5;

const retryAfterSeconds = '5';

export function createUnreadAnswers({ perPeer, total, keyOf }: UnreadBounds): UnreadAnswers {
  const readers = new Map<string, Reader>();
  let totalBytes = 0;

  const readerOf = (peer: string): Reader => {
    const key = keyOf(peer);
    const known = readers.get(key);
    if (known) return known;
    const reader = { key, byteCount: 0, large: new Set<LargeAnswer>() };
    readers.set(key, reader);
    return reader;
  };

  const count = (reader: Reader, byteCount: number) => {
    reader.byteCount += byteCount;
    totalBytes += byteCount;
    if (reader.byteCount === 0 && readers.size > maxIdleReaders) readers.delete(reader.key);
  };

  /** Drops large answers of the peers with the most unread bytes until another answer fits. */
  const makeSpace = (byteCount: number) => {
    while (totalBytes + byteCount > total) {
      const withLarge = [...readers.values()].filter(({ large }) => large.size > 0);
      if (withLarge.length === 0) return;
      const first = withLarge.reduce((a, b) => (b.byteCount > a.byteCount ? b : a));
      for (const answer of [...first.large]) {
        answer.release();
        answer.drop();
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
    hold(peer, byteCount, drop) {
      const reader = readerOf(peer);
      /** A peer without unread bytes gets its answer, whatever its size. */
      if (reader.byteCount > 0 && reader.byteCount + byteCount > perPeer) throw tooMuchUnread(perPeer);
      if (totalBytes + byteCount > total) makeSpace(byteCount);
      if (reader.byteCount > 0 && totalBytes + byteCount > total) throw tooMuchUnread(total);
      count(reader, byteCount);
      let isHeld = true;
      const release = () => {
        if (!isHeld) return;
        isHeld = false;
        if (answer) reader.large.delete(answer);
        count(reader, -byteCount);
      };
      const answer = byteCount < largeBytes ? undefined : { drop, release };
      if (answer) reader.large.add(answer);
      return release;
    },
  };
}

/** Counts an answer of the HTTP port until its connection has taken it. */
export function trackUnread(
  unread: UnreadAnswers,
  { call, byteCount, response }: { call: Call; byteCount: number; response: ServerResponse },
): void {
  const release = unread.hold(call.peer, byteCount, () => response.destroy());
  response.once('close', release);
  /** Node restores the server's timeout after the answer. */
  response.socket?.setTimeout(unreadMs);
}

/**
 * Counts an answer of the gRPC port until the system has taken it, which ends the stream's writing. The bytes of a reset
 * stream may remain with the connection; they are gone when the peer answers a ping sent behind them.
 */
export function trackUnreadStream(
  unread: UnreadAnswers,
  { call, byteCount, stream }: { call: Call; byteCount: number; stream: ServerHttp2Stream },
): void {
  const { session } = stream;
  const drop = () => stream.close(constants.NGHTTP2_CANCEL);
  const release = unread.hold(call.peer, byteCount, drop);
  stream.once('finish', release);
  stream.once('close', () => {
    if (stream.writableFinished || session === undefined || session.destroyed || !session.ping(release))
      release();
  });
  stream.setTimeout(unreadMs, drop);
}

function tooMuchUnread(maxBytes: number): DomainError {
  const message = `More than ${maxBytes} bytes of answers are unread. Read them or close their connections, and retry after ${retryAfterSeconds} s.`;
  return new DomainError('RATE_LIMITED', message, {
    metadata: { retry_after_seconds: retryAfterSeconds, limit_bytes: String(maxBytes) },
  });
}
