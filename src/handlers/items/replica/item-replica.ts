/** The catalogues of all environments, filled from the database once and followed from then on. */

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
  /** Takes a row that this node wrote itself, so that its own callers need not wait for the follower. */
  apply(row: ItemState): void;
  /** Whatever was written until now, by any node, is known here then; rejects when the database does not tell. */
  refresh(): Promise<void>;
  /** Fills the catalogues and begins to follow; resolves when they are complete. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Counts applied rows; a reader that remembers it knows whether anything changed. */
  readonly changeCount: number;
};

export type ItemReplicaOptions = {
  db: Database;
  environments: Iterable<EnvironmentSettings>;
  intervalMs: number;
  /** Told of every row that was new or newer, after the catalogue has taken it. */
  onChange?: (row: ItemState, itemIndex: number) => void;
  logger: Logger;
};

/** Rows applied before other work gets its turn: 2 to 5 ms when their texts have to be analysed. */
const rowsPerTurn = 25;

/** Rows read at once of a bucket that changed. */
const rowsPerPage = 1_000;

export function createItemReplica(options: ItemReplicaOptions): ItemReplica {
  const { db, environments, intervalMs, onChange, logger } = options;
  const catalogs = new Map<string, Catalog>();
  for (const settings of environments) catalogs.set(settings.name, createDeclaredCatalog(settings));
  const own = createOwnWrites();
  let changeCount = 0;

  /** Rows of an environment that the deployment no longer declares are left alone. */
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
  /** Reads what is new up to the number that the feed ended with. */
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
      /** What was changed again meanwhile stands further on. */
      own.advance(bucket, rows.length < rowsPerPage ? last : rows.at(-1)!.number);
    }
  };
  /** Several may follow at once: each applies what it reads before it goes on, and what is known already changes nothing. */
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
