/** The catalogues of all environments, filled at the start and then followed. */

import type { Logger } from 'pino';
import type { EnvironmentSettings } from '../../../deployment/deployment.ts';
import type { Catalog, CatalogRow } from '../../../ranking/catalog/catalog.ts';
import { createDeclaredCatalog } from '../../../ranking/catalog/declared-catalog.ts';
import { createFollower, type Follower } from '../../../ranking/runtime/follower.ts';
import { nextTurn } from '../../../ranking/runtime/slices.ts';
import type { Database } from '../../../repository/database.ts';
import {
  type ItemState,
  listChangedItems,
  listItemFeedEnds,
  streamItemStates,
} from '../../../repository/items/items.ts';
import { createOwnWrites } from './own-writes.ts';

export type ItemReplica = Follower & {
  catalogOf(environment: string): Catalog;
  /** Applies a row of this node, so that its callers need not wait for the follower. */
  apply(row: ItemState): void;
  /** Counts applied rows, so that readers can detect changes. */
  readonly changeCount: number;
};

type ItemReplicaOptions = {
  db: Database;
  environments: Iterable<EnvironmentSettings>;
  intervalMs: number;
  /** Called with each new or newer row, after the catalogue has applied it. */
  onChange?: (row: ItemState, itemIndex: number) => void;
  logger: Logger;
};

/** Rows applied before other work gets its turn: 2 to 5 ms when their texts are analysed. */
const rowsPerTurn = 25;

const rowsPerPage = 1_000;

export function createItemReplica(options: ItemReplicaOptions): ItemReplica {
  const { db, environments, intervalMs, onChange, logger } = options;
  const catalogs = new Map<string, Catalog>();
  for (const settings of environments) catalogs.set(settings.name, createDeclaredCatalog(settings));
  const own = createOwnWrites();
  let changeCount = 0;

  /** Ignores rows of environments that the deployment does not declare. */
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
  /** Applies the changes of a bucket up to the offset where its feed ended. */
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
      /** An item that has changed again meanwhile comes with a later number. */
      own.advance(bucket, rows.length < rowsPerPage ? last : rows.at(-1)!.number);
    }
  };
  const follower = createFollower({
    name: 'items',
    async catchUp() {
      for (const { bucket, last } of await listItemFeedEnds(db)) await followBucket(bucket, last);
    },
    async fill() {
      for (const { bucket, last } of await listItemFeedEnds(db)) own.advance(bucket, last);
      for (const environment of catalogs.keys())
        for await (const rows of streamItemStates(db, environment)) await applyAll(rows);
    },
    intervalMs,
    logger,
  });

  return {
    ...follower,
    catalogOf: (environment) => catalogs.get(environment)!,
    apply(row) {
      own.note(row.bucket, row.number);
      apply(row);
    },
    get changeCount() {
      return changeCount;
    },
  };
}
