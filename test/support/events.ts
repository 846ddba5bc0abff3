/** Events of tests: storing, aggregation, and nodes that do both. */

import { DomainError } from '../../src/errors.ts';
import { createEventAggregation, type EventAggregation } from '../../src/events/aggregation.ts';
import type { InterpretationOf } from '../../src/events/meaning.ts';
import { bucketCountOf } from '../../src/repository/buckets.ts';
import type { Database } from '../../src/repository/database.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import {
  type AggregationTools,
  aggregateLane,
  listLaneProgress,
} from '../../src/repository/events/aggregate-events.ts';
import { type StoreOptions, storeRequests } from '../../src/repository/events/events.ts';
import type { ConsumingKinds } from '../../src/repository/events/history-batch.ts';
import { createPendingEvents, type PendingEvents } from '../../src/repository/events/pending-events.ts';
import type { SubjectFilter } from '../../src/repository/events/subject-filter.ts';
import {
  type AttributionWindow,
  defaultAttributionWindow,
} from '../../src/repository/metrics/metric-batch.ts';
import { silentLogger } from './database.ts';

/** Commits events of one request; returns false for repeated event ids. */
export async function commitEvents(
  db: Database,
  events: EventRow[],
  options: StoreOptions = {},
): Promise<boolean[]> {
  const [outcome] = await storeRequests(db, [events], options);
  if (outcome instanceof DomainError) throw outcome;
  return outcome;
}

/** Types of a deployment with goods and content. */
export const consuming: ConsumingKinds = new Set(['purchase\tproduct', 'detail_pageview\titem']);

/** Aggregates all stored events from the table of events, as for a lost node. */
export async function aggregateAll(db: Database, options: Partial<AggregationTools> = {}): Promise<void> {
  const bucketCount = await bucketCountOf(db);
  const tools = { db, bucketCount, attributionWindow: defaultAttributionWindow, consuming, ...options };
  for (const progress of await listLaneProgress(db)) await aggregateLane(tools, progress);
}

export type TestNode = {
  pending: PendingEvents;
  aggregation: EventAggregation;
  /** Stores in the node's lane. */
  commit(events: EventRow[]): Promise<boolean[]>;
};

export type TestNodeOptions = {
  lane?: number;
  attributionWindow?: AttributionWindow;
  interpretationOf?: InterpretationOf;
  recorded?: SubjectFilter;
  logger?: typeof silentLogger;
};

/** The event handling of a node, without the rest of the service. */
export async function createTestNode(db: Database, options: TestNodeOptions = {}): Promise<TestNode> {
  const { lane = 1, attributionWindow = defaultAttributionWindow, recorded, logger = silentLogger } = options;
  const { interpretationOf } = options;
  const bucketCount = await bucketCountOf(db);
  const pending = createPendingEvents(bucketCount, attributionWindow, recorded, undefined, interpretationOf);
  const aggregation = createEventAggregation({
    db,
    bucketCount,
    pending,
    attributionWindow,
    consuming,
    interpretationOf,
    logger,
  });
  return { pending, aggregation, commit: (events) => commitEvents(db, events, { lane, pending }) };
}
