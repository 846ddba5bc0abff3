/** Replica of all catalogues: filled from the database at the start, then following its feed. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EnvironmentSettings } from '../../../deployment/deployment.ts';
import type { Catalog, CatalogRow } from '../../../ranking/catalog/catalog.ts';
import { createDeclaredCatalog } from '../../../ranking/catalog/declared-catalog.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import type { Database } from '../../../repository/database.ts';
import {
  type ItemState,
  listChangedItems,
  listItemFeedEnds,
  streamItemStates,
} from '../../../repository/items/items.ts';
import { createOwnWrites } from './own-writes.ts';

export type ItemReplica = {
  catalogOf(environment: string): Catalog;
  /** Applies a row that this node wrote, so that its callers need not wait for the follower. */
  apply(row: ItemState): void;
  /** Reads all writes of all nodes until now. Rejects if the database fails. */
  refresh(): Promise<void>;
  /** Fills the catalogues and starts to follow. Resolves when they are complete. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Number of applied rows, to detect changes. */
  readonly changeCount: number;
};

export type ItemReplicaOptions = {
  db: Database;
  environments: Iterable<EnvironmentSettings>;
  intervalMs: number;
  /** Called for every new or newer row, after the catalogue has applied it. */
  onChange?: (row: ItemState, itemIndex: number) => void;
  logger: Logger;
};

/** Rows applied before other work runs: 2 to 5 ms with text analysis. */
const rowsPerTurn = 25;

/** Rows read at once from a changed bucket. */
const rowsPerPage = 1_000;

export function createItemReplica(options: ItemReplicaOptions): ItemReplica {
  const { db, environments, intervalMs, onChange, logger } = options;
  const catalogs = new Map<string, Catalog>();
  for (const settings of environments) catalogs.set(settings.name, createDeclaredCatalog(settings));
  const own = createOwnWrites();
  let changeCount = 0;

  /** Ignores rows of environments that the deployment no longer declares. */
  const apply = (row: ItemState) => {
    const catalog = catalogs.get(row.environment);
    if (!catalog) return;
    const position = catalog.changes.position;
    const itemIndex = catalog.apply(row as ItemState & CatalogRow);
    if (catalog.changes.position === position) return;
    changeCount += 1;
    onChange?.(row, itemIndex);
  };
  const applyAll = async (rows: readonly ItemState[]) => {
    for (let place = 0; place < rows.length; place++) {
      if (place % rowsPerTurn === 0) await nextTurn();
      apply(rows[place]);
    }
  };
  const followBucket = async (bucket: number, last: number) => {
    for (let since = own.reached(bucket); since < last; since = own.reached(bucket)) {
      const known = own.beyond(bucket);
      const page = {
        bucket,
        environments: [...catalogs.keys()],
        sinceNumber: since,
        known,
        limit: rowsPerPage,
      };
      const rows = await listChangedItems(db, page);
      await applyAll(rows);
      /** Rows that changed again since are later in the feed. */
      own.advance(bucket, rows.length < rowsPerPage ? last : rows.at(-1)!.number);
    }
  };
  /** Concurrent calls are safe: known rows change nothing. */
  const follow = async () => {
    for (const { bucket, last } of await listItemFeedEnds(db)) await followBucket(bucket, last);
  };
  const follower = createPeriodic({
    work: follow,
    pauseMs: intervalMs,
    complaint: 'Cannot follow the database; serving what is known.',
    facts: { follower: 'items' },
    logger,
  });

  return {
    catalogOf: (environment) => catalogs.get(environment)!,
    apply(row) {
      own.note(row.bucket, row.number);
      apply(row);
    },
    refresh: follow,
    get changeCount() {
      return changeCount;
    },
    async start() {
      for (const { bucket, last } of await listItemFeedEnds(db)) own.advance(bucket, last);
      for (const environment of catalogs.keys())
        for await (const rows of streamItemStates(db, environment)) await applyAll(rows);
      follower.start();
    },
    stop: () => follower.stop(),
  };
}
