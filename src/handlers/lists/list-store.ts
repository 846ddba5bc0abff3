/**
 * Answered lists, kept for paging: in the database, so that they survive restarts and every node can read them.
 *
 * Lists of concurrent requests are written in one statement and read in one statement. An answer goes out when its lists have
 * left the process: a node that is killed or stopped takes none with it. A page may come before the database has done it: on the
 * same node it waits for that, on another one it looks again.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { DomainError } from '../../errors.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { createBatcher, type QueueLengths, statementPaceMs } from '../../repository/batcher.ts';
import { listBuckets } from '../../repository/buckets.ts';
import type { Database } from '../../repository/database.ts';
import {
  bucketOfList,
  deleteExpiredLists,
  findLists,
  insertLists,
  type ListKey,
  type ListRow,
  renewLists,
  replaceList,
} from '../../repository/kept/lists.ts';
import { isSecret, readListKey } from './list-key.ts';

/** What is kept of a request, so that its answer can be explained later. */
export type StoredRequest = {
  /** The request's JSON. */
  body: string;
  atMs: number;
  isRobot: boolean;
};

/** What is kept of an answer. One of each list, so that a page echoes its request. */
export type StoredList = {
  kind: 'recommendations';
  configurationId: string;
  listName: string;
  deviceId: string;
  userId?: string;
  requestId: string;
  userGroup: string;
  version: string;
  /** Id and type, by place. */
  items: [itemId: string, itemType: string][];
  /** What the request had shown of items. */
  fields?: readonly string[];
  /** Ranks by place, when injected items left gaps. */
  ranks?: number[];
  /** Places of the items that the request put there. */
  placed?: number[];
  /** What stands in the place of items that went away since; see lists/fill-list.ts. */
  filled?: [place: number, itemId: string, itemType: string][];
  /** With the first list of several: how many there are. */
  listCount?: number;
  /** With the first list, unless it is very long. */
  asked?: StoredRequest;
};

/** What is kept of one list of search results. */
export type StoredSearchList = {
  kind: 'search';
  listName: string;
  groupedBy: string[];
  /** Lists asked for. */
  listCount: number;
  autoSuggest?: string;
  requestId: string;
  userGroup: string;
  version: string;
  items: [itemId: string, itemType: string][];
  /** What the request had shown of items. */
  fields?: readonly string[];
};

const mostListsPerStatement = 500;
const mostWaiting = 20_000;
/** Bytes of lists that one statement writes; those of one answer may be more. */
const mostBytesPerStatement = 4 * 1024 * 1024;
/** Bytes of lists that are on their way into the database; further ones are not kept. */
const mostBytesWaiting = 64 * 1024 * 1024;
/** Before a list that another node may have on its way is looked for again, each time. */
const furtherLooksMs = [50, 100, 200];
/** A list is renewed when this share of its lifetime has passed, so that most pages only read. */
const renewalShare = 0.1;
/** How long lists go into one bucket, before the next one's turn comes. */
const bucketTurnMs = 50;
const expiryPauseMs = 60_000;
const expiredPerStatement = 5_000;

export type ListRecord = StoredList | StoredSearchList;

/** Until when, in milliseconds since the epoch, unless it is read before. */
export type FoundList = ListRecord & { expiresAtMs: number };

export type ListStore = {
  /** The bucket that lists of this moment should lie in: then they are one statement. Rows may be named as one likes. */
  turn(): number;
  /** Where a list of this row lies. */
  bucketOf(environment: string, row: string): number;
  /**
   * Resolves when the lists of one request, by their keys, are on their way into the database: with the moment at which they
   * expire. Rejects when they do not get there in time.
   */
  store(environment: string, lists: ReadonlyMap<string, ListRecord>, lifetimeMs: number): Promise<number>;
  /** Reads a list and prolongs its life; undefined when unknown or expired. */
  find(environment: string, listKey: string, lifetimeMs: number): Promise<FoundList | undefined>;
  /** The same by its row alone, for those who may explain every answer; see list-key.ts. */
  findRow(environment: string, row: string, lifetimeMs: number): Promise<FoundList | undefined>;
  /** Keeps what a list was filled up with, and returns it; where another page did so first, as that one has it. */
  fill(
    environment: string,
    row: string,
    lists: { before: StoredList; after: StoredList },
  ): Promise<StoredList | undefined>;
  start(): void;
  stop(): Promise<void>;
};

export type ListStoreOptions = {
  db: Database;
  bucketCount: number;
  clock: () => number;
  logger: Logger;
  queues?: QueueLengths;
};

export function createListStore(options: ListStoreOptions): ListStore {
  const { db, bucketCount, clock, logger } = options;
  const { write, settled, turn } = createListWriter(options);
  const partOf = (key: ListKey) => bucketOfList(bucketCount, key);
  const read = createListReader(options, settled);
  /** Lists of one environment live equally long, so the latest end is right for all that are renewed together. */
  const renew = createBatcher<ListKey & { expiresAt: Date }, void>({
    maxBatch: mostListsPerStatement,
    maxQueued: mostWaiting,
    partOf,
    async run(renewals) {
      for (const group of Object.values(Object.groupBy(renewals, ({ environment }) => environment))) {
        const latest = Math.max(...group!.map(({ expiresAt }) => expiresAt.getTime()));
        await renewLists(db, group!, new Date(latest));
      }
      return renewals.map(() => undefined);
    },
  });
  const expiring = createPeriodic({
    async work() {
      for (const bucket of await listBuckets(db)) {
        while ((await deleteExpiredLists(db, bucket, expiredPerStatement)) === expiredPerStatement);
      }
    },
    pauseMs: expiryPauseMs,
    complaint: 'Expired lists could not be deleted; trying again later.',
    logger,
  });
  const warnOfRenewal = createSparingWarning(
    logger,
    'A list that was read could not be renewed; it ends as it was.',
  );
  /** A page does not fail with the renewal of its list alone. */
  const findKept = async (environment: string, row: string, lifetimeMs: number, secret?: string) => {
    const key = { environment, listKey: row };
    const found = await read(key);
    if (!found) return undefined;
    const { secret: kept, ...list }: ListRecord & { secret?: string } = JSON.parse(found.payload);
    if (secret !== undefined && !isSecret(secret, kept)) return undefined;
    const expiresAt = new Date(clock() + lifetimeMs);
    const isWorthRenewing = expiresAt.getTime() - found.expiresAt.getTime() > lifetimeMs * renewalShare;
    const isRenewed =
      isWorthRenewing &&
      (await renew({ ...key, expiresAt }).then(
        () => true,
        (failure) => warnOfRenewal({ err: failure }),
      ));
    return { ...list, expiresAtMs: (isRenewed ? expiresAt : found.expiresAt).getTime() };
  };

  return {
    turn,
    bucketOf: (environment, row) => partOf({ environment, listKey: row }),
    fill: filling(db, read),
    async store(environment, lists, lifetimeMs) {
      const expiresAt = new Date(clock() + lifetimeMs);
      const rows = Array.from(lists, ([listKey, list]) => {
        const { row, secret } = readListKey(listKey)!;
        return { environment, listKey: row, expiresAt, payload: JSON.stringify({ ...list, secret }) };
      });
      await write(rows);
      return expiresAt.getTime();
    },
    async find(environment, listKey, lifetimeMs) {
      const parts = readListKey(listKey);
      return parts && findKept(environment, parts.row, lifetimeMs, parts.secret);
    },
    findRow: (environment, row, lifetimeMs) => findKept(environment, row, lifetimeMs),
    start: expiring.start,
    stop: expiring.stop,
  };
}

type ReadList = (key: ListKey) => Promise<ListRow | undefined>;

/** @param settled Resolves when a list is not on its way any more. */
function createListReader(
  { db, bucketCount, queues }: ListStoreOptions,
  settled: (key: ListKey) => Promise<void>,
): ReadList {
  const readAtOnce = createBatcher<ListKey, ListRow | undefined>({
    maxBatch: mostListsPerStatement,
    maxQueued: mostWaiting,
    partOf: (key) => bucketOfList(bucketCount, key),
    concurrency: 2,
    paceMs: () => statementPaceMs,
    queue: { name: 'lists read', lengths: queues },
    run: (keys) => findLists(db, keys),
  });
  return async (key) => {
    await settled(key);
    let found = await readAtOnce(key);
    for (const afterMs of furtherLooksMs) {
      if (found) break;
      await delay(afterMs);
      found = await readAtOnce(key);
    }
    return found;
  };
}

/** What one request has to write, and whom to tell that it is sent. */
type Writing = { rows: ListRow[]; bytes: number; onSent(): void };

/** Buckets take turns, so that most lists of a moment are one statement. */
function createListWriter({ db, bucketCount, clock, logger, queues }: ListStoreOptions) {
  const insert = createBatcher<Writing, void>({
    maxBatch: mostListsPerStatement,
    maxQueued: mostWaiting,
    concurrency: 2,
    paceMs: () => statementPaceMs,
    weigh: ({ bytes }) => bytes,
    maxWeight: mostBytesPerStatement,
    queue: { name: 'lists kept', lengths: queues },
    /** Those of one request mostly lie together; a search may have none. */
    partOf: ({ rows: [row] }) => (row ? bucketOfList(bucketCount, row) : 0),
    async run(writings) {
      const rows = writings.flatMap((writing) => writing.rows);
      await insertLists(db, rows, () => {
        for (const { onSent } of writings) onSent();
      });
      return writings.map(() => undefined);
    },
  });
  const warn = createSparingWarning(
    logger,
    'Lists that were answered could not be kept; they cannot be paged.',
  );
  /**
   * By name, what is on its way. A plain object, as a Map whose members come and go leaves tables behind that refer to the next
   * one: once one of them is old, every short collection copies all that came after it.
   */
  const onTheirWay: Record<string, Promise<void> | undefined> = Object.create(null);
  let bytesWaiting = 0;
  const insertNoted = (writing: Writing): Promise<void> => {
    if (bytesWaiting + writing.bytes > mostBytesWaiting) return Promise.reject(tooManyBytes());
    bytesWaiting += writing.bytes;
    const names = writing.rows.map(nameOf);
    const inserted = insert(writing).finally(() => {
      bytesWaiting -= writing.bytes;
      for (const name of names) delete onTheirWay[name];
    });
    for (const name of names) onTheirWay[name] = inserted;
    return inserted;
  };
  const write = (rows: ListRow[]): Promise<void> =>
    new Promise((resolve, reject) => {
      let isSent = false;
      const onSent = () => {
        isSent = true;
        resolve();
      };
      const bytes = rows.reduce((sum, { payload }) => sum + payload.length, 0);
      insertNoted({ rows, bytes, onSent }).then(resolve, (error) =>
        isSent ? warn({ err: error }) : reject(error),
      );
    });
  const turn = () => Math.floor(clock() / bucketTurnMs) % bucketCount;
  /** Resolves when a list is not on its way any more, whatever came of it. */
  const settled = async (key: ListKey): Promise<void> => {
    await onTheirWay[nameOf(key)]?.catch(() => undefined);
  };
  return { write, settled, turn };
}

function tooManyBytes(): DomainError {
  const message = 'Too many lists wait for the database; try again in a moment.';
  return new DomainError('UNAVAILABLE', message, {
    metadata: { mostBytesWaiting: String(mostBytesWaiting) },
  });
}

/** Environments have no slash in their names. */
function nameOf({ environment, listKey }: ListKey): string {
  return `${environment}/${listKey}`;
}

/** Two pages may fill a list at once: the first counts. */
function filling(db: Database, read: ReadList): ListStore['fill'] {
  return async (environment, row, { before, after }) => {
    const readAgain = async () => {
      const found = await read({ environment, listKey: row });
      const list: StoredList | undefined = found && JSON.parse(found.payload);
      return found && { found, list: list! };
    };
    const now = await readAgain();
    if (now === undefined || !isDeepStrictEqual(now.list.filled, before.filled)) return now?.list;
    const filled = { ...now.list, filled: after.filled };
    const isReplaced = await replaceList(db, now.found, JSON.stringify(filled));
    return isReplaced ? filled : (await readAgain())?.list;
  };
}
