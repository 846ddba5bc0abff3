/**
 * Write-behind: collects entries in memory and writes them later, in groups.
 *
 * Waiting entries are bounded by number and bytes; further ones are dropped and counted. A part
 * that the database refuses is halved until it succeeds, and a single refused entry is dropped.
 * While the database is unavailable, parts wait and are sent again unchanged.
 */

import type { Logger } from 'pino';
import { createPeriodic } from './periodic.ts';
import { createSingleFlight } from './single-flight.ts';
import { createSparingWarning } from './sparing-warning.ts';
import { withinTime } from './within-time.ts';

type EntryBounds = { entries: number; bytes: number };

export type WriteBehindOptions<Entry> = {
  /** Names the entries in log lines, e.g. `counts of served calls`. */
  name: string;
  /**
   * Writes a part, all or nothing.
   * @param number Counts parts from 1. A part with an unknown outcome is sent again under its
   *   number.
   */
  write(entries: readonly Entry[], number: number): Promise<unknown>;
  /** Runs before each part is sent [nothing]. */
  prepare?(): Promise<unknown>;
  /** Returns the estimated size of an entry, which must not change. */
  bytesOf(entry: Entry): number;
  /** Bounds of the waiting entries. */
  most: EntryBounds;
  /** Bounds of the entries of one statement; a single entry may be larger. */
  part: EntryBounds;
  /** Tells whether an error has another cause than the part, which is then sent again unchanged. */
  isPassing(error: unknown): boolean;
  /** From the end of one flush to the next. */
  pauseMs: number;
  /** Longest wait for the last flush at a stop; the remaining entries are lost. */
  stopMs: number;
  logger: Pick<Logger, 'warn'>;
};

export type WriteBehind<Entry> = {
  /** Returns the waiting entry of a key, which may be modified. */
  get(key: string): Entry | undefined;
  /** Adds an entry under a new key; returns false when it had to be dropped. */
  add(key: string, entry: Entry): boolean;
  /** Removes entries that are not sent yet, or may have to be sent again. */
  remove(isRemoved: (entry: Entry) => boolean): void;
  /** Writes the waiting entries; rejects when the database is unavailable. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
  /** Entries that wait or are being written. */
  readonly waitingCount: number;
  readonly droppedCount: number;
};

/** Between two log lines about dropped entries. */
const dropLogPauseMs = 60_000;

export function createWriteBehind<Entry>(options: WriteBehindOptions<Entry>): WriteBehind<Entry> {
  const { name, bytesOf, most, logger } = options;
  const warnOfDrop = createSparingWarning(logger, `Dropped: ${name}.`, { pauseMs: dropLogPauseMs });
  let droppedCount = 0;
  const noteDrop = (facts: object) => {
    droppedCount += 1;
    warnOfDrop({ ...facts, dropped: droppedCount });
  };
  const size = createSize(bytesOf);
  let waiting = new Map<string, Entry>();
  const sender = createSender(options, {
    onDone: size.subtract,
    onRefused(entry, error) {
      size.subtract([entry]);
      noteDrop({ err: error });
    },
  });
  /** Entries added during a flush wait for the next one, so that the flush ends. */
  const flush = createSingleFlight(() => {
    const entries = [...waiting.values()];
    waiting = new Map();
    return sender.send(entries);
  });
  const writing = createPeriodic({
    work: flush,
    pauseMs: options.pauseMs,
    runsAtStop: true,
    complaint: `Not written yet, trying again: ${name}.`,
    logger,
  });

  return {
    get: (key) => waiting.get(key),
    add(key, entry) {
      if (size.entries >= most.entries || size.bytes + bytesOf(entry) > most.bytes) {
        noteDrop({ waiting: size.entries, bytes: size.bytes });
        return false;
      }
      waiting.set(key, entry);
      size.add([entry]);
      return true;
    },
    remove(isRemoved) {
      const removed = sender.remove(isRemoved);
      for (const [key, entry] of waiting) {
        if (!isRemoved(entry)) continue;
        waiting.delete(key);
        removed.push(entry);
      }
      size.subtract(removed);
    },
    flush,
    start: writing.start,
    async stop() {
      await withinTime(options.stopMs, writing.stop());
      if (size.entries > 0) logger.warn({ lost: size.entries }, `Lost at shutdown: ${name}.`);
    },
    get waitingCount() {
      return size.entries;
    },
    get droppedCount() {
      return droppedCount;
    },
  };
}

function createSize<Entry>(bytesOf: (entry: Entry) => number) {
  let entries = 0;
  let bytes = 0;
  const change = (changed: readonly Entry[], sign: 1 | -1) => {
    entries += sign * changed.length;
    for (const entry of changed) bytes += sign * bytesOf(entry);
  };
  return {
    add: (added: readonly Entry[]) => change(added, 1),
    subtract: (removed: readonly Entry[]) => change(removed, -1),
    get entries() {
      return entries;
    },
    get bytes() {
      return bytes;
    },
  };
}

type Part<Entry> = { number: number; entries: readonly Entry[] };

type Outcomes<Entry> = {
  onDone(entries: readonly Entry[]): void;
  onRefused(entry: Entry, error: unknown): void;
};

/** Sends entries part by part; keeps the remaining ones after a failure. */
function createSender<Entry>(options: WriteBehindOptions<Entry>, { onDone, onRefused }: Outcomes<Entry>) {
  const { prepare, bytesOf, part, isPassing } = options;
  let leaving: Entry[] = [];
  /** The part that is being written, or has an unknown outcome. */
  let sent: Part<Entry> | undefined;
  /** Most entries of the next part: halved by a failure, doubled by a success. */
  let mostOfPart = part.entries;
  let lastNumber = 0;

  const nextPart = (): Part<Entry> => {
    let bytes = 0;
    const end = leaving.findIndex((entry, place) => {
      bytes += bytesOf(entry);
      return place > 0 && (place >= mostOfPart || bytes > part.bytes);
    });
    lastNumber += 1;
    return { number: lastNumber, entries: leaving.splice(0, end < 0 ? leaving.length : end) };
  };
  /** Returns the error of a refused part; rejects on errors with another cause. */
  const writePart = async ({ entries, number }: Part<Entry>): Promise<{ error: unknown } | undefined> => {
    try {
      if (entries.length > 0) await options.write(entries, number);
      return undefined;
    } catch (error) {
      if (isPassing(error)) throw error;
      return { error };
    }
  };
  const sendNext = async (): Promise<void> => {
    await prepare?.();
    sent ??= nextPart();
    const refused = await writePart(sent);
    /** `remove` may have replaced the part meanwhile. */
    const { entries } = sent;
    sent = undefined;
    if (refused) {
      mostOfPart = Math.max(1, entries.length >> 1);
      if (entries.length === 1) onRefused(entries[0], refused.error);
      else leaving = [...entries, ...leaving];
    } else {
      mostOfPart = Math.min(part.entries, mostOfPart * 2);
      onDone(entries);
    }
  };
  return {
    async send(entries: readonly Entry[]): Promise<void> {
      leaving = [...leaving, ...entries];
      while (sent || leaving.length > 0) await sendNext();
    },
    /** Returns the removed entries. */
    remove(isRemoved: (entry: Entry) => boolean): Entry[] {
      const [removed, left] = divide(leaving, isRemoved);
      leaving = left;
      if (!sent) return removed;
      const [removedOfSent, leftOfSent] = divide(sent.entries, isRemoved);
      sent = { ...sent, entries: leftOfSent };
      return [...removed, ...removedOfSent];
    },
  };
}

function divide<Entry>(entries: readonly Entry[], isFirst: (entry: Entry) => boolean): [Entry[], Entry[]] {
  return [entries.filter(isFirst), entries.filter((entry) => !isFirst(entry))];
}
