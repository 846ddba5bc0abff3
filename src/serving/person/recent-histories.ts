/**
 * Histories for completions: a person types several letters a second, and what they did last is the same for each. So a
 * history serves for a second once it was read, and most completions ask the database nothing.
 */

import { createRecentlyUsed } from '../../recently-used.ts';
import type { History } from '../../repository/events/histories.ts';
import { type Forgetting, isGoneFor } from '../../repository/forgetting.ts';
import type { HistoryLack } from '../recommendation-request.ts';
import type { HistoryReader, Reader } from './history-reader.ts';

/** An event counts in completions after this long at most. */
const freshMs = 1_000;
const mostPeople = 10_000;

type Recent = { history: Promise<History | undefined>; readAtMs: number; lack?: HistoryLack };

export type RecentHistories = (reader: Reader) => Promise<History | undefined>;

/** @param nowMs a clock that never goes back */
export function createRecentHistories(
  readHistory: HistoryReader,
  nowMs: () => number,
  forgetting?: Forgetting,
): RecentHistories {
  const recent = createRecentlyUsed<Recent>(mostPeople);
  forgetting?.add((isGone) => {
    for (const key of recent.keys()) {
      const [environment, deviceId, userId] = JSON.parse(key);
      if (isGoneFor(isGone, environment, { deviceId, userId })) recent.delete(key);
    }
  });
  /** One that waits for another's reading is told why it brought nothing, too. */
  const share = async ({ onLack }: Reader, read: Recent): Promise<History | undefined> => {
    const history = await read.history;
    if (history === undefined) onLack?.(read.lack ?? 'database');
    return history;
  };
  return (reader) => {
    if (reader.doNotStore) return readHistory(reader, false);
    const key = JSON.stringify([reader.environment, reader.deviceId, reader.userId]);
    const known = recent.get(key);
    if (known && nowMs() - known.readAtMs < freshMs) return share(reader, known);
    const onLack = (lack: HistoryLack) => {
      read.lack = lack;
    };
    const read: Recent = { history: readHistory({ ...reader, onLack }, false), readAtMs: nowMs() };
    recent.set(key, read);
    /** One that came too late for its own call is none for the next. */
    const forget = () => {
      if (recent.peek(key) === read) recent.delete(key);
    };
    read.history.then((history) => history ?? forget(), forget);
    return share(reader, read);
  };
}
