/**
 * The recent queries of users and devices: written every second, and read once a second at most while somebody types.
 *
 * They are stored for the user, and for the device with its user, if any. Knowing a user ID is not being the user: a user's
 * queries are for callers with a token, a device's queries for callers that know the device.
 */

import type { Logger } from 'pino';
import { createCache } from '../../../ranking/runtime/cache.ts';
import type { HoldingPeople } from '../../../ranking/runtime/forgetting.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import type { SearchSubject } from '../../../ranking/search/serving/served-search.ts';
import { isPersonal } from '../../../ranking/search/suggestions/contact-text.ts';
import type { Database } from '../../../repository/database.ts';
import { anonymousDevice } from '../../../repository/event-row.ts';
import { mostQueries } from '../../../repository/functions/keep-typed-queries.ts';
import {
  addTypedQueries,
  deleteOldTypedQueries,
  findTypedQueries,
} from '../../../repository/search/typed-queries.ts';

const flushIntervalMs = 1_000;
const flushesPerTidying = 3_600;
/** Subjects whose queries wait for the next flush; queries of further ones are dropped. */
const mostHeld = 10_000;
const longestQuery = 100;
/** Bytes of what was read within a second, for some 3,000 subjects. */
const mostBytesRead = 16 * 1024 * 1024;
/** Bytes of a subject's queries: as many as are stored, of the longest, and two IDs. */
const bytesRead = mostQueries * longestQuery * 2 + 1_000;
const freshMs = 1_000;

type Who = Pick<
  SearchSubject,
  'environment' | 'deviceId' | 'userId' | 'isRobot' | 'doNotStore' | 'isVouchedFor'
>;

type Asking = Who & Pick<SearchSubject, 'onLack'>;

/** Subject under which queries are stored. */
type Place = { environment: string; subject: string; linkedUser?: string };

export type TypedQueries = {
  record(who: Who, query: string): void;
  /** Returns the subject's queries, latest first. */
  of(who: Asking): Promise<readonly string[]>;
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export type TypedQueriesOptions = Partial<HoldingPeople> & { db: Database; logger: Logger };

type Held = Place & { queries: string[] };

type Kept = (Place & { queries: readonly string[] }) | undefined;

const none: readonly string[] = [];

export function createTypedQueries(options: TypedQueriesOptions): TypedQueries {
  const { db, forgetting, forgetDeleted, logger } = options;
  let held = new Map<string, Held>();
  /** Being written. */
  let leaving = new Map<string, Held>();
  const recent = createCache<Promise<Kept>>({
    maxBytes: mostBytesRead,
    bytesOf: () => bytesRead,
    lifetimeMs: freshMs,
  });
  let flushes = 0;

  const write = async () => {
    if (held.size === 0) return;
    await forgetDeleted?.();
    leaving = held;
    held = new Map();
    flushes += 1;
    try {
      await addTypedQueries(db, [...leaving.values()]);
    } finally {
      for (const row of leaving.keys()) recent.delete(row);
      leaving = new Map();
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
    const isOfGone = ({ environment, subject, linkedUser }: Place): boolean =>
      isGone(environment, subject) || (linkedUser !== undefined && isGone(environment, `u:${linkedUser}`));
    for (const waiting of [held, leaving])
      for (const [row, place] of waiting) if (isOfGone(place)) waiting.delete(row);
    recent.clear();
  });
  const read = (place: Place): Promise<Kept> => {
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
  const add = (place: Place, text: string): void => {
    const key = rowOf(place);
    const known = held.get(key);
    if (known && known.linkedUser === place.linkedUser)
      known.queries = [text, ...known.queries.filter((other) => other !== text)].slice(0, mostQueries);
    else if (known || held.size < mostHeld) held.set(key, { ...place, queries: [text] });
  };

  return {
    record(who, query) {
      const text = query.trim().replace(/\s+/g, ' ');
      if (text === '' || text.length > longestQuery || isPersonal(text)) return;
      for (const place of placesOf(who)) add(place, text);
    },
    async of(who) {
      const place = placesOf(who).find(({ subject }) => who.isVouchedFor || subject.startsWith('d:'));
      if (place === undefined) return none;
      // Read before the stored queries, so that no query is missed between buffer and database.
      const waiting = [held.get(rowOf(place)), leaving.get(rowOf(place))];
      const rows = [...waiting, await read(place).catch(() => void who.onLack?.('database'))];
      // Queries of another user on the device hide the older ones.
      const known = rows.filter((row) => row !== undefined);
      const strange = known.findIndex(({ linkedUser }) => linkedUser !== place.linkedUser);
      const own = strange < 0 ? known : known.slice(0, strange);
      return own.length === 1 ? own[0].queries : [...new Set(own.flatMap(({ queries }) => queries))];
    },
    flush: writing.run,
    start: writing.start,
    stop: writing.stop,
  };
}

/** One row of the table, whoever was on the device. */
const rowOf = ({ environment, subject }: Place): string => JSON.stringify([environment, subject]);

/** Returns the user's place first; none for subjects of whom nothing is stored. */
function placesOf({ environment, deviceId, userId, isRobot, doNotStore }: Who): Place[] {
  const places: Place[] = [];
  if (isRobot || doNotStore) return places;
  if (userId !== undefined) places.push({ environment, subject: `u:${userId}` });
  if (deviceId !== undefined && deviceId !== anonymousDevice)
    places.push({ environment, subject: `d:${deviceId}`, linkedUser: userId });
  return places;
}

/** Returns `u` or `d` and the ID of the subject, the user first; undefined for subjects of whom nothing is stored. */
export function askerOf(who: Who): string | undefined {
  return placesOf(who)[0]?.subject.replace(':', '');
}
