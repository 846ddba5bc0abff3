/**
 * Stores answered lists in the database for paging, so that they survive restarts and every node
 * can read them.
 *
 * Lists are written behind their answers, in shared statements some milliseconds apart. A page may
 * be requested before the database has the list: the same node waits for the write, another node
 * reads again.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
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

/** A request, stored to explain its answer later. */
export type StoredRequest = {
  body: string;
  atMs: number;
  isRobot: boolean;
};

/** A stored list of recommendations. Repeats the properties of its answer for pages. */
export type StoredList = {
  kind: 'recommendations';
  configurationId: string;
  listName: string;
  deviceId: string;
  userId?: string;
  requestId: string;
  userGroup: string;
  version: string;
  items: [itemId: string, itemType: string][];
  /** Fields of items that the request asked for. */
  fields?: readonly string[];
  /** Ranks by position, if injected items left gaps. */
  ranks?: number[];
  placed?: number[];
  /** The interleaved experiment, and the variant that supplied each item; '' for none. */
  teams?: { experimentId: string; ofItems: string[] };
  /** Items that replace unavailable ones; see recommendations/fill-list.ts. */
  filled?: [place: number, itemId: string, itemType: string][];
  /** Number of lists of the request. Only in the first of several lists. */
  listCount?: number;
  /** Only in the first list, unless it is too long. */
  asked?: StoredRequest;
};

export type StoredSearchList = {
  kind: 'search';
  listName: string;
  groupedBy: string[];
  listCount: number;
  autoSuggest?: string;
  requestId: string;
  userGroup: string;
  version: string;
  items: [itemId: string, itemType: string][];
  fields?: readonly string[];
  /** Identifies the search, for pages that continue it; absent when its order is not known. */
  search?: string;
  /** Other items of the order, up to the end of the page. */
  before?: [itemId: string, itemType: string][];
  /** For an interleaved experiment. */
  deviceId?: string;
  teams?: StoredList['teams'];
};

const mostListsPerStatement = 500;
const mostWaiting = 20_000;
/** Maximum bytes of a statement, unless one answer has more. */
const mostBytesPerStatement = 4 * 1024 * 1024;
/** Maximum bytes of unwritten lists; further lists are not stored. */
const mostBytesWaiting = 64 * 1024 * 1024;
/** Pauses before a list is read again, since another node may be writing it. */
const furtherLooksMs = [50, 100, 200];
/** A list is renewed after this share of its lifetime, so that most pages only read. */
const renewalShare = 0.1;
/** Time between two statements that write lists, shorter than other nodes read again. */
const writePaceMs = 25;
/** Duration for which lists are written to one bucket. */
const bucketTurnMs = 50;
const expiryPauseMs = 60_000;
const expiredPerStatement = 5_000;

export type ListRecord = StoredList | StoredSearchList;

/** Milliseconds since the epoch at which the list expires, unless it is read before. */
export type FoundList = ListRecord & { expiresAtMs: number };

export type ListStore = {
  /** Returns the bucket that lists should belong to now, so that one statement writes them. */
  turn(): number;
  bucketOf(environment: string, row: string): number;
  /**
   * Stores the lists of a request by their keys soon. Returns their expiry; undefined while lists
   * cannot be written, so that these may be lost.
   */
  store(environment: string, lists: ReadonlyMap<string, ListRecord>, lifetimeMs: number): number | undefined;
  /** Reads a list and extends its lifetime. Returns undefined if it is unknown or has expired. */
  find(environment: string, listKey: string, lifetimeMs: number): Promise<FoundList | undefined>;
  /** Reads a list by its row, without the secret, for callers with access to explanations. */
  findRow(environment: string, row: string, lifetimeMs: number): Promise<FoundList | undefined>;
  /**
   * Stores the items that fill a list's gaps. Returns the list, as filled by another page if that
   * was first.
   */
  fill(
    environment: string,
    row: string,
    lists: { before: StoredList; after: StoredList },
  ): Promise<StoredList | undefined>;
  start(): void;
  /** Resolves when the waiting lists are written. */
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
  const { write, settled, allSettled, turn } = createListWriter(options);
  const partOf = (key: ListKey) => bucketOfList(bucketCount, key);
  const read = createListReader(options, settled);
  const renew = createListRenewal(options);
  const expiring = createPeriodic({
    async work() {
      for (const bucket of await listBuckets(db)) {
        while ((await deleteExpiredLists(db, bucket, expiredPerStatement)) === expiredPerStatement);
      }
    },
    pauseMs: expiryPauseMs,
    complaint: 'Expired lists could not be deleted. Trying again later.',
    logger,
  });
  const warnOfRenewal = createSparingWarning(logger, 'The lifetime of a list could not be extended.');
  /** A failed renewal does not fail the page. */
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
    store(environment, lists, lifetimeMs) {
      const expiresAt = new Date(clock() + lifetimeMs);
      const rows = Array.from(lists, ([listKey, list]) => {
        const { row, secret } = readListKey(listKey)!;
        return { environment, listKey: row, expiresAt, payload: JSON.stringify({ ...list, secret }) };
      });
      return write(rows) ? expiresAt.getTime() : undefined;
    },
    async find(environment, listKey, lifetimeMs) {
      const parts = readListKey(listKey);
      return parts && findKept(environment, parts.row, lifetimeMs, parts.secret);
    },
    findRow: (environment, row, lifetimeMs) => findKept(environment, row, lifetimeMs),
    start: expiring.start,
    stop: async () => void (await Promise.all([expiring.stop(), allSettled()])),
  };
}

function createListRenewal({ db, bucketCount }: ListStoreOptions) {
  /** Lists of one environment have the same lifetime, so the latest expiry applies to all. */
  return createBatcher<ListKey & { expiresAt: Date }, void>({
    maxBatch: mostListsPerStatement,
    maxQueued: mostWaiting,
    partOf: (key) => bucketOfList(bucketCount, key),
    async run(renewals) {
      for (const group of Object.values(Object.groupBy(renewals, ({ environment }) => environment))) {
        const latest = Math.max(...group!.map(({ expiresAt }) => expiresAt.getTime()));
        await renewLists(db, group!, new Date(latest));
      }
      return renewals.map(() => undefined);
    },
  });
}

type ReadList = (key: ListKey) => Promise<ListRow | undefined>;

/** @param settled Waits until a list is written or has failed. */
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

type Writing = { rows: ListRow[]; bytes: number };

/** Writes lists bucket by bucket, so that most lists share a statement. */
function createListWriter({ db, bucketCount, clock, logger, queues }: ListStoreOptions) {
  const insert = createBatcher<Writing, void>({
    maxBatch: mostListsPerStatement,
    maxQueued: mostWaiting,
    concurrency: 2,
    paceMs: () => writePaceMs,
    weigh: ({ bytes }) => bytes,
    maxWeight: mostBytesPerStatement,
    queue: { name: 'lists kept', lengths: queues },
    /** Most lists of a request share a bucket; a search may have no lists. */
    partOf: ({ rows: [row] }) => (row ? bucketOfList(bucketCount, row) : 0),
    async run(writings) {
      await insertLists(
        db,
        writings.flatMap(({ rows }) => rows),
      );
      return writings.map(() => undefined);
    },
  });
  const warn = createSparingWarning(logger, 'Answered lists could not be stored. They cannot be paged.');
  /**
   * Unfinished writes by name. A plain object: a Map with changing entries keeps superseded tables
   * alive, which slows garbage collection.
   */
  const onTheirWay: Record<string, Promise<void> | undefined> = Object.create(null);
  let bytesWaiting = 0;
  let isFailing = false;
  const finish = async (writing: Writing, names: readonly string[]): Promise<void> => {
    try {
      await insert(writing);
      isFailing = false;
    } catch (error) {
      isFailing = true;
      warn({ err: error });
    } finally {
      bytesWaiting -= writing.bytes;
      for (const name of names) delete onTheirWay[name];
    }
  };
  /** Returns whether the lists will be written, as far as the last write tells. */
  const write = (rows: ListRow[]): boolean => {
    const bytes = rows.reduce((sum, { payload }) => sum + payload.length, 0);
    if (bytesWaiting + bytes > mostBytesWaiting) {
      warn({ mostBytesWaiting });
      return false;
    }
    bytesWaiting += bytes;
    const names = rows.map(nameOf);
    const written = finish({ rows, bytes }, names);
    for (const name of names) onTheirWay[name] = written;
    return !isFailing;
  };
  const turn = () => Math.floor(clock() / bucketTurnMs) % bucketCount;
  const settled = async (key: ListKey) => onTheirWay[nameOf(key)];
  const allSettled = () => Promise.all(Object.values(onTheirWay));
  return { write, settled, allSettled, turn };
}

/** Names of environments have no slash. */
function nameOf({ environment, listKey }: ListKey): string {
  return `${environment}/${listKey}`;
}

/** If two pages fill a list at once, the first one counts. */
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
