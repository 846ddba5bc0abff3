/** The catalogues of all environments, filled from the database once and followed from then on. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EnvironmentSettings } from '../deployment/deployment.ts';
import { findHorizon, firstXid, type Xid } from '../repository/change-feed.ts';
import type { Database } from '../repository/database.ts';
import { type ItemState, listChangedItems, streamItemStates } from '../repository/items/items.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { createTableFollower } from './table-follower.ts';

export type ItemReplica = {
  catalogOf(environment: string): Catalog;
  /** Takes a row that this node wrote itself, so that its own callers need not wait for the follower. */
  apply(row: ItemState): void;
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

export function createItemReplica(options: ItemReplicaOptions): ItemReplica {
  const { db, environments, intervalMs, onChange, logger } = options;
  const catalogs = new Map<string, Catalog>();
  for (const { name, properties, itemTypes } of environments) {
    catalogs.set(
      name,
      createCatalog({
        environment: name,
        properties: [...properties.values()],
        itemTypes: [...itemTypes.keys()],
      }),
    );
  }
  let horizonXid: Xid = firstXid;
  let changeCount = 0;

  /** Rows of an environment that the deployment no longer declares are left alone. */
  const apply = (row: ItemState) => {
    const catalog = catalogs.get(row.environment);
    if (!catalog) return;
    const position = catalog.changes.position;
    const itemIndex = catalog.apply({ ...row, document: row.document as Record<string, unknown> });
    if (catalog.changes.position === position) return;
    changeCount += 1;
    onChange?.(row, itemIndex);
  };
  const applyAll = async (rows: Iterable<ItemState> | AsyncIterable<ItemState>) => {
    let count = 0;
    for await (const row of rows) {
      apply(row);
      if (++count % rowsPerTurn === 0) await nextTurn();
    }
  };
  const follower = createTableFollower({
    name: 'items',
    intervalMs,
    logger,
    async poll() {
      const changes = await listChangedItems(db, horizonXid);
      await applyAll(changes.rows);
      horizonXid = changes.horizonXid;
    },
  });

  return {
    catalogOf: (environment) => catalogs.get(environment)!,
    apply,
    get changeCount() {
      return changeCount;
    },
    async start() {
      horizonXid = await findHorizon(db);
      for (const environment of catalogs.keys()) await applyAll(streamItemStates(db, environment));
      follower.start();
    },
    stop: () => follower.stop(),
  };
}
