/**
 * Histories for completions: a person types several letters a second, and what they did last is the same for each. So a
 * history serves for a second once it was read, and most completions ask the database nothing.
 */

import type { History } from '../../ranking/history.ts';
import { historyBytes } from '../../ranking/history.ts';
import type { HistoryLack } from '../../ranking/lists/recommendation-request.ts';
import { createCache } from '../../ranking/runtime/cache.ts';
import { type Forgetting, isGoneFor } from '../../ranking/runtime/forgetting.ts';
import type { HistoryReader, Reader } from './history-reader.ts';

/** An event counts in completions after this long at most. */
const freshMs = 1_000;
/** Of all that were read lately, whether they are still fresh or not. */
const mostBytes = 16 * 1024 * 1024;

type Read = {
  who: Pick<Reader, 'environment' | 'deviceId' | 'userId'>;
  history: Promise<History | undefined>;
  readAtMs: number;
  bytes: number;
  /** Why the history could not be read. */
  lack?: HistoryLack;
};

/** Of an entry beside its key and its history: ids of up to 256 characters each, and a promise. */
const bytesOfRead = 1_000;

export type RecentHistories = (reader: Reader) => Promise<History | undefined>;

/** @param nowMs a clock that never goes back */
export function createRecentHistories(
  readHistory: HistoryReader,
  nowMs: () => number,
  forgetting?: Forgetting,
): RecentHistories {
  const recent = createCache<Read>({ maxBytes: mostBytes, bytesOf: ({ bytes }) => bytes });
  forgetting?.add((isGone) => {
    recent.deleteWhere(({ who }) => isGoneFor(isGone, who.environment, who));
  });
  /** One that waits for another's reading is told why it brought nothing, too. */
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
      who: { environment, deviceId, userId },
      history: readHistory({ ...reader, onLack }, false),
      readAtMs: nowMs(),
      bytes: bytesOfRead,
    };
    recent.set(key, read);
    /** One that came too late for its own call is none for the next. */
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
