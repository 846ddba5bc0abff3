/**
 * Caches histories for completions: a subject types several letters a second, and each needs the
 * same history. A history is reused for a second, so most completions need no query.
 */

import type { History } from '../../ranking/history.ts';
import { historyBytes } from '../../ranking/history.ts';
import type { HistoryLack } from '../../ranking/lists/recommendation-request.ts';
import { createCache } from '../../ranking/runtime/cache.ts';
import { type Forgetting, isGoneFor } from '../../ranking/runtime/forgetting.ts';
import type { HistoryReader, Reader } from './history-reader.ts';

/** Maximum delay until an event counts in completions. */
const freshMs = 1_000;
/** Size of all cached histories, expired ones included. */
const mostBytes = 16 * 1024 * 1024;

type Read = {
  subject: Pick<Reader, 'environment' | 'deviceId' | 'userId'>;
  history: Promise<History | undefined>;
  readAtMs: number;
  bytes: number;
  /** Reason why the history could not be read. */
  lack?: HistoryLack;
};

/** Size of an entry besides key and history: ids of up to 256 characters each, and a promise. */
const bytesOfRead = 1_000;

export type RecentHistories = (reader: Reader) => Promise<History | undefined>;

/** @param nowMs Monotonic clock, in milliseconds. */
export function createRecentHistories(
  readHistory: HistoryReader,
  nowMs: () => number,
  forgetting?: Forgetting,
): RecentHistories {
  const recent = createCache<Read>({ maxBytes: mostBytes, bytesOf: ({ bytes }) => bytes });
  forgetting?.add((isGone) => {
    recent.deleteWhere(({ subject }) => isGoneFor(isGone, subject.environment, subject));
  });
  /** Callers that share a read also receive the reason of its failure. */
  const share = async ({ onLack }: Reader, read: Read): Promise<History | undefined> => {
    const history = await read.history;
    if (history === undefined) onLack?.(read.lack ?? 'database');
    return history;
  };
  return (reader) => {
    if (reader.doNotStore) return readHistory(reader, false);
    const key = JSON.stringify([reader.environment, reader.deviceId, reader.userId]);
    const known = recent.get(key);
    if (known && nowMs() - known.readAtMs < freshMs) return share(reader, known);
    const { environment, deviceId, userId } = reader;
    const onLack = (lack: HistoryLack) => {
      read.lack = lack;
    };
    const read: Read = {
      subject: { environment, deviceId, userId },
      history: readHistory({ ...reader, onLack }, false),
      readAtMs: nowMs(),
      bytes: bytesOfRead,
    };
    recent.set(key, read);
    /** A read that was too late for its own call is not reused. */
    const forget = () => {
      if (recent.peek(key) === read) recent.delete(key);
    };
    const weigh = (history: History) => {
      if (recent.peek(key) !== read) return;
      read.bytes += historyBytes(history);
      recent.set(key, read);
    };
    read.history.then((history) => (history ? weigh(history) : forget()), forget);
    return share(reader, read);
  };
}
