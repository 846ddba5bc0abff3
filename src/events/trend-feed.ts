/**
 * Feeds live trends: this node's events as they are stored, those of other nodes within seconds,
 * and stored events at startup. Robots do not count.
 */

import type { Logger } from 'pino';
import { hashText } from '../ranking/runtime/hash.ts';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import { listBuckets } from '../repository/buckets.ts';
import type { Database } from '../repository/database.ts';
import type { EventRow } from '../repository/event-row.ts';
import { type CopyOptions, copyEvents } from '../repository/events/event-copy.ts';
import { findNewestEvents, positionAfter } from '../repository/events/event-ranges.ts';
import { listFeedEnds, type Position, rangesBetween } from '../repository/feeds.ts';
import { type InterpretationOf, qualifierOf } from './meaning.ts';

/** Newest events of an environment, read at startup. */
const mostAtStart = 200_000;

const followPauseMs = 2_000;

export type TrendEvent = {
  eventType: string;
  qualifier: string | undefined;
  itemType: string | undefined;
  itemId: string;
  /** Unix seconds. */
  atSeconds: number;
  /** Hash of the user or device. */
  subject: number;
};

export type TrendFeed = {
  noteStored(event: EventRow): void;
  start(): void;
  stop(): Promise<void>;
};

export type TrendFeedOptions = {
  db: Database;
  environments: readonly string[];
  lane: () => number;
  count(environment: string, event: TrendEvent): void;
  interpretationOf: InterpretationOf;
  logger: Pick<Logger, 'warn'>;
};

export function createTrendFeed(options: TrendFeedOptions): TrendFeed {
  const { db, environments, lane, count, interpretationOf, logger } = options;
  let position: Position | undefined;
  /** Environments whose earlier events are not read yet, and the position from which all are followed. */
  const unread = new Set(environments);
  let until: Position | undefined;
  const read = async (environment: string, stored: Pick<CopyOptions, 'ranges' | 'occurredSince'>) => {
    const copied = { ...stored, interpretation: interpretationOf(environment) };
    await copyEvents(db, environment, copied, ({ timeSeconds, subjectKey, ...event }) =>
      count(environment, { ...event, atSeconds: timeSeconds, subject: hashText(subjectKey ?? '') }),
    );
  };
  const readHistory = async () => {
    for (const environment of unread) {
      const newest = await findNewestEvents(db, environment, mostAtStart);
      until ??= newest.until;
      await read(environment, newest);
      unread.delete(environment);
    }
    position = until;
  };
  const follow = async () => {
    if (position === undefined) return readHistory();
    const ends = await listFeedEnds(db, 'events', await listBuckets(db));
    const ranges = rangesBetween(position, ends);
    const ofOthers = ranges.filter((range) => range.lane !== lane());
    if (ofOthers.length > 0)
      for (const environment of environments) await read(environment, { ranges: ofOthers });
    position = positionAfter(ranges, position);
  };
  const following = createPeriodic({
    work: follow,
    pauseMs: followPauseMs,
    complaint: 'Cannot read the events of other nodes for trends; trying again.',
    logger,
  });
  return {
    noteStored(event) {
      const { environment, robot, eventType, itemType, itemId, occurredAtMs, userId, deviceId } = event;
      if (robot || itemId === undefined) return;
      const subject = hashText(userId === undefined ? `d:${deviceId}` : `u:${userId}`);
      const qualifier = qualifierOf(event, interpretationOf(environment));
      count(environment, { eventType, qualifier, itemType, itemId, atSeconds: occurredAtMs / 1000, subject });
    },
    start: following.start,
    stop: following.stop,
  };
}
