/**
 * Durable intake: the events of concurrent requests are committed together, in one transaction a bucket.
 *
 * While a group is being committed, the next one gathers; so a single event waits for one commit, and
 * under load a commit carries thousands. Histories and counts follow (folding.ts).
 */

import { DomainError } from '../errors.ts';
import { createBatcher, type QueueLengths } from '../repository/batcher.ts';
import type { Database } from '../repository/database.ts';
import type { EventRow } from '../repository/event-row.ts';
import { type StoreOutcome, storeRequests } from '../repository/events/events.ts';
import type { UnfoldedEvents } from '../repository/events/unfolded-events.ts';

/** Requests that share a transaction, so that a full group of the largest requests still fits a statement. */
const mostRequestsPerGroup = 500;
const mostEventsPerGroup = 20_000;
/** Requests that may wait for their group; more are refused as UNAVAILABLE. */
const mostWaitingRequests = 20_000;

export type EventIntake = {
  /**
   * Resolves when all events are durable, with whether each was stored now (not known before by its
   * event_id); UNAVAILABLE when that is not known in time.
   */
  store(events: EventRow[]): Promise<boolean[]>;
  /** Counts the events stored by this node. */
  readonly storedCount: number;
};

export type EventIntakeOptions = {
  db: Database;
  queues?: QueueLengths;
  /** Of this node [1]. */
  lane?(): number;
  /** Learns of every event that is stored. */
  unfolded?: UnfoldedEvents;
  /** Resolves when there is room for more events to be folded. */
  awaitRoom?(): Promise<void>;
};

export function createEventIntake({
  db,
  queues,
  lane,
  unfolded,
  awaitRoom,
}: EventIntakeOptions): EventIntake {
  let storedCount = 0;
  const store = createBatcher<EventRow[], StoreOutcome>({
    maxBatch: mostRequestsPerGroup,
    maxQueued: mostWaitingRequests,
    queue: { name: 'events', lengths: queues },
    weigh: (events) => events.length,
    maxWeight: mostEventsPerGroup,
    async run(requests) {
      await awaitRoom?.();
      return storeRequests(db, requests, { lane: lane?.(), unfolded });
    },
  });
  return {
    async store(events) {
      const outcome = await store(events);
      if (outcome instanceof DomainError) throw outcome;
      for (const isNew of outcome) if (isNew) storedCount += 1;
      return outcome;
    },
    get storedCount() {
      return storedCount;
    },
  };
}
