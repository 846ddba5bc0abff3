/**
 * The recent queries of users and devices: written every second, and read once a second at most
 * while the subject types.
 *
 * They are stored for the user, and for the device with its user, if any. Knowing a user ID is not
 * being the user: a user's queries are for callers with a token, a device's queries for callers
 * that know the device.
 */

import type { Logger } from 'pino';
import { createCache } from '../../../ranking/runtime/cache.ts';
import type { HoldingPeople } from '../../../ranking/runtime/forgetting.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import type { SearchSubject } from '../../../ranking/search/serving/served-search.ts';
import { isPersonal } from '../../../ranking/search/suggestions/contact-text.ts';
import { anonymousDevice } from '../../../ranking/subject.ts';
import type { Database } from '../../../repository/database.ts';
import { mostTypedQueries } from '../../../repository/function-constants.ts';
import {
  addTypedQueries,
  deleteOldTypedQueries,
  findTypedQueries,
} from '../../../repository/search/typed-queries.ts';

const flushIntervalMs = 1_000;
const flushesPerTidying = 3_600;
/** Subjects with queries in the buffer; queries of further subjects are dropped. */
const mostPending = 10_000;
const longestQuery = 100;
/** Bytes of what was read within a second, for some 3,000 subjects. */
const mostBytesRead = 16 * 1024 * 1024;
/** Bytes of a subject's queries: as many as are stored, of the longest, and two IDs. */
const bytesRead = mostTypedQueries * longestQuery * 2 + 1_000;
const freshMs = 1_000;

type QueryOwner = Pick<
  SearchSubject,
  'environment' | 'deviceId' | 'userId' | 'isRobot' | 'doNotStore' | 'isVouchedFor'
>;

type CompletionSubject = QueryOwner & Pick<SearchSubject, 'onLack'>;

/** Subject under which queries are stored. */
type Place = { environment: string; subject: string; linkedUser?: string };

export type TypedQueries = {
  record(owner: QueryOwner, query: string): void;
  /** Returns the subject's queries, latest first. */
  of(owner: CompletionSubject): Promise<readonly string[]>;
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export type TypedQueriesOptions = Partial<HoldingPeople> & { db: Database; logger: Logger };

type PendingQueries = Place & { queries: string[] };

type StoredQueries = (Place & { queries: readonly string[] }) | undefined;

const none: readonly string[] = [];

function isOfGone(
  { environment, subject, linkedUser }: Place,
  isGone: (environment: string, subject: string) => boolean,
): boolean {
  return isGone(environment, subject) || (linkedUser !== undefined && isGone(environment, `u:${linkedUser}`));
}

/** Queries of another user on the device hide the older ones. */
function queriesOf(rows: readonly (StoredQueries | undefined)[], { linkedUser }: Place) {
  const known = rows.filter((row) => row !== undefined);
  const strange = known.findIndex((row) => row.linkedUser !== linkedUser);
  const own = strange < 0 ? known : known.slice(0, strange);
  return own.length === 1 ? own[0].queries : [...new Set(own.flatMap(({ queries }) => queries))];
}

/** Stored queries, read once a second at most for a subject. */
function createReads({ db, logger }: TypedQueriesOptions) {
  const recent = createCache<Promise<StoredQueries>>({
    maxBytes: mostBytesRead,
    bytesOf: () => bytesRead,
    lifetimeMs: freshMs,
  });
  const read = (place: Place): Promise<StoredQueries> => {
    const row = rowOf(place);
    const known = recent.get(row);
    if (known) return known;
    const reading = findTypedQueries(db, place).catch((error) => {
      recent.delete(row);
      logger.warn({ err: error }, 'Recent queries could not be read; completions go without them.');
      throw error;
    });
    recent.set(row, reading);
    return reading;
  };
  return { recent, read };
}

export function createTypedQueries(options: TypedQueriesOptions): TypedQueries {
  const { db, forgetting, forgetDeleted, logger } = options;
  let pending = new Map<string, PendingQueries>();
  let beingWritten = new Map<string, PendingQueries>();
  const { recent, read } = createReads(options);
  let flushes = 0;

  const write = async () => {
    if (pending.size === 0) return;
    await forgetDeleted?.();
    beingWritten = pending;
    pending = new Map();
    flushes += 1;
    try {
      await addTypedQueries(db, [...beingWritten.values()]);
    } finally {
      for (const row of beingWritten.keys()) recent.delete(row);
      beingWritten = new Map();
    }
    if (flushes % flushesPerTidying === 0) await deleteOldTypedQueries(db);
  };
  const writing = createPeriodic({
    work: write,
    pauseMs: flushIntervalMs,
    runsAtStop: true,
    complaint: 'Recent queries of people were lost.',
    logger,
  });
  forgetting?.add((isGone) => {
    for (const waiting of [pending, beingWritten])
      for (const [row, place] of waiting) if (isOfGone(place, isGone)) waiting.delete(row);
    recent.clear();
  });
  const add = (place: Place, text: string): void => {
    const key = rowOf(place);
    const known = pending.get(key);
    if (known && known.linkedUser === place.linkedUser)
      known.queries = [text, ...known.queries.filter((other) => other !== text)].slice(0, mostTypedQueries);
    else if (known || pending.size < mostPending) pending.set(key, { ...place, queries: [text] });
  };

  return {
    record(owner, query) {
      const text = query.trim().replace(/\s+/g, ' ');
      if (text === '' || text.length > longestQuery || isPersonal(text)) return;
      for (const place of placesOf(owner)) add(place, text);
    },
    async of(owner) {
      const place = placesOf(owner).find(({ subject }) => owner.isVouchedFor || subject.startsWith('d:'));
      if (place === undefined) return none;
      // Read before the stored queries, so that no query is missed between buffer and database.
      const waiting = [pending.get(rowOf(place)), beingWritten.get(rowOf(place))];
      const stored = await read(place).catch(() => void owner.onLack?.('database'));
      return queriesOf([...waiting, stored || undefined], place);
    },
    flush: writing.run,
    start: writing.start,
    stop: writing.stop,
  };
}

/** Key of a row of the table, independent of the device's user. */
const rowOf = ({ environment, subject }: Place): string => JSON.stringify([environment, subject]);

/** Returns the user's place first; none for robots and the like. */
function placesOf({ environment, deviceId, userId, isRobot, doNotStore }: QueryOwner): Place[] {
  const places: Place[] = [];
  if (isRobot || doNotStore) return places;
  if (userId !== undefined) places.push({ environment, subject: `u:${userId}` });
  if (deviceId !== undefined && deviceId !== anonymousDevice)
    places.push({ environment, subject: `d:${deviceId}`, linkedUser: userId });
  return places;
}

/** Returns `u` or `d` and the ID of the subject, the user first; undefined for robots and the like. */
export function subjectKeyOf(owner: QueryOwner): string | undefined {
  return placesOf(owner)[0]?.subject.replace(':', '');
}
