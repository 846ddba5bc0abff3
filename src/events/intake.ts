/**
 * Stores events durably: events of concurrent requests are committed together, in one transaction
 * per bucket. While one group is committed, the next one gathers. A single event waits for one
 * commit; under load a commit carries thousands. Histories and metrics follow later
 * (aggregation.ts).
 *
 * Each group has a fixed cost. Four nodes with small groups cost the database a third more than one
 * node for the same events, so the gathering time grows with the number of nodes.
 */

import { DomainError } from '../errors.ts';
import { createBatcher, type QueueLengths } from '../repository/batcher.ts';
import { bucketCountOf } from '../repository/buckets.ts';
import type { Database } from '../repository/database.ts';
import type { EventRow } from '../repository/event-row.ts';
import { type StoreOutcome, storeRequests, storeWithin } from '../repository/events/events.ts';
import type { PendingEvents } from '../repository/events/pending-events.ts';
import type { StoredGroup } from '../repository/events/stored-event.ts';
import { advanceStream, type StreamRange } from '../repository/events/stream-offsets.ts';
import type { LaneKeeper } from '../repository/lanes.ts';

/** Requests per transaction: a full group of the largest requests still fits a statement. */
const mostRequestsPerGroup = 500;
const mostEventsPerGroup = 20_000;
/** Milliseconds between the starts of two groups: per other node, and at most. */
const gatherMs = 4;
const longestGatherMs = 12;
/** A group of this size starts at once: a larger one makes an event only a tenth cheaper. */
const enoughEvents = 40;
/** Requests in the queue; further ones are refused as UNAVAILABLE. */
const mostWaitingRequests = 20_000;

export type EventIntake = {
  /**
   * Resolves when all events are durable. Each value is false if the event_id was stored before.
   * Rejects with UNAVAILABLE when the outcome is not known in time.
   */
  store(events: EventRow[]): Promise<boolean[]>;
  /**
   * Stores records of a stream and the offset behind them, exactly once. Returns the number of new
   * events; undefined if records of the range were stored before, which stores none again.
   */
  storeRange(range: StreamRange, events: readonly EventRow[]): Promise<number | undefined>;
  readonly storedCount: number;
};

export type EventIntakeOptions = {
  db: Database;
  queues?: QueueLengths;
  /** Lane of this node, and the number of other nodes [lane 1, none]. */
  lanes?: Pick<LaneKeeper, 'lane' | 'otherNodes'>;
  pending?: PendingEvents;
  /** Resolves when more events may become pending. */
  awaitRoom?(): Promise<void>;
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
  const noteStored = (event: EventRow) => {
    storedCount += 1;
    onStored?.(event);
  };
  const storeAll = async (events: EventRow[]): Promise<boolean[]> => {
    const outcome = await store(events);
    if (outcome instanceof DomainError) throw outcome;
    outcome.forEach((isNew, place) => {
      if (isNew) noteStored(events[place]);
    });
    return outcome;
  };
  return {
    store: storeAll,
    /** Events with IDs come first: if the range fails after them, they are repetitions when it is stored again. */
    async storeRange(range, events) {
      const [withIds, others] = [events.filter(hasId), events.filter((event) => !hasId(event))];
      const stored = withIds.length > 0 ? await storeAll(withIds) : [];
      await awaitRoom?.();
      const lane = lanes?.lane ?? 1;
      const bucket = lane % (await bucketCountOf(db));
      let group: StoredGroup | undefined;
      const isAdvanced = await advanceStream(db, range, async (transaction) => {
        if (others.length > 0) group = await storeWithin(transaction, { bucket, lane }, others);
      });
      if (!isAdvanced) return undefined;
      if (group) pending?.add(group);
      others.forEach(noteStored);
      return stored.filter(Boolean).length + others.length;
    },
    get storedCount() {
      return storedCount;
    },
  };
}

const hasId = ({ eventId }: EventRow): boolean => eventId !== undefined;
