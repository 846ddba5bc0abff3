/**
 * Stores events durably: the events of concurrent requests are committed together, in one transaction a bucket.
 *
 * While a group is being committed, the next one gathers: a single event waits for one commit, and under load a commit carries
 * thousands. Histories and counts follow (aggregation.ts).
 *
 * Each group has a fixed cost. Four nodes with small groups cost the database a third more than one node for the same events,
 * so groups gather longer the more nodes there are.
 */

import { DomainError } from '../errors.ts';
import { createBatcher, type QueueLengths } from '../repository/batcher.ts';
import type { Database } from '../repository/database.ts';
import type { EventRow } from '../repository/event-row.ts';
import { type StoreOutcome, storeRequests } from '../repository/events/events.ts';
import type { PendingEvents } from '../repository/events/pending-events.ts';
import type { LaneKeeper } from '../repository/lanes.ts';

/** Requests in a transaction: a full group of the largest requests still fits a statement. */
const mostRequestsPerGroup = 500;
const mostEventsPerGroup = 20_000;
/** Time between the starts of two groups, for each other node, and its maximum. */
const gatherMs = 4;
const longestGatherMs = 12;
/** A group of so many events starts at once: more would make an event only a tenth cheaper. */
const enoughEvents = 40;
/** Requests that may wait; further ones are refused as UNAVAILABLE. */
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
  /** Lane of this node, and the number of other nodes [lane 1, none]. */
  lanes?: Pick<LaneKeeper, 'lane' | 'otherNodes'>;
  /** Receives every event that is stored. */
  pending?: PendingEvents;
  /** Resolves when there is room for more events to be aggregated. */
  awaitRoom?(): Promise<void>;
  /** Called with each event that was stored now. */
  onStored?(event: EventRow): void;
};

export function createEventIntake({
  db,
  queues,
  lanes,
  pending,
  awaitRoom,
  onStored,
}: EventIntakeOptions): EventIntake {
  let storedCount = 0;
  const store = createBatcher<EventRow[], StoreOutcome>({
    maxBatch: mostRequestsPerGroup,
    maxQueued: mostWaitingRequests,
    queue: { name: 'events', lengths: queues },
    weigh: (events) => events.length,
    maxWeight: mostEventsPerGroup,
    paceMs: () => Math.min(longestGatherMs, gatherMs * (lanes?.otherNodes ?? 0)),
    enoughWeight: enoughEvents,
    async run(requests) {
      await awaitRoom?.();
      return storeRequests(db, requests, { lane: lanes?.lane, pending });
    },
  });
  return {
    async store(events) {
      const outcome = await store(events);
      if (outcome instanceof DomainError) throw outcome;
      outcome.forEach((isNew, place) => {
        if (!isNew) return;
        storedCount += 1;
        onStored?.(events[place]);
      });
      return outcome;
    },
    get storedCount() {
      return storedCount;
    },
  };
}
