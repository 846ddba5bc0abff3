/** Events of tests: folding what is stored, and nodes that store and fold. */

import { createEventFolding, type EventFolding } from '../../src/events/folding.ts';
import { bucketCountOf } from '../../src/repository/buckets.ts';
import type { Database } from '../../src/repository/database.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { commitEvents } from '../../src/repository/events/events.ts';
import {
  createFoldTools,
  type FoldTools,
  foldLane,
  listLaneProgress,
} from '../../src/repository/events/fold-events.ts';
import { createUnfoldedEvents, type UnfoldedEvents } from '../../src/repository/events/unfolded-events.ts';
import {
  type AttributionWindow,
  defaultAttributionWindow,
} from '../../src/repository/metrics/metric-batch.ts';
import { silentLogger } from './database.ts';

/** Folds everything that is stored from the table of events, as for a node that is no more. */
export async function foldAll(db: Database, options: Partial<FoldTools> = {}): Promise<void> {
  const tools = await createFoldTools(db, options);
  for (const progress of await listLaneProgress(db)) await foldLane(tools, progress);
}

export type TestNode = {
  unfolded: UnfoldedEvents;
  folding: EventFolding;
  /** Stores in the node's lane. */
  commit(events: EventRow[]): Promise<boolean[]>;
};

export type TestNodeOptions = {
  lane?: number;
  attributionWindow?: AttributionWindow;
  logger?: typeof silentLogger;
};

/** What a node of the service does with events, without the rest of it. */
export async function createTestNode(db: Database, options: TestNodeOptions = {}): Promise<TestNode> {
  const { lane = 1, attributionWindow = defaultAttributionWindow, logger = silentLogger } = options;
  const bucketCount = await bucketCountOf(db);
  const unfolded = createUnfoldedEvents(bucketCount, attributionWindow);
  const folding = createEventFolding({ db, bucketCount, unfolded, attributionWindow, logger });
  return { unfolded, folding, commit: (events) => commitEvents(db, events, { lane, unfolded }) };
}
