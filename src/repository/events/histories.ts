/**
 * Reads the latest events of users and devices, newest first: aggregated ones from the database,
 * pending ones from this node's memory.
 *
 * Each bucket returns its aggregation progress in the same statement, so every event is read
 * exactly once. A history combines two subjects, the device and its user, in separate buckets. The
 * device's row names its user; without a user in the request, the user is read after the device.
 *
 * If the link between device and user is only claimed, the user's history affects lists on that
 * device and nothing else.
 */

import { DomainError } from '../../errors.ts';
import { isForgetting } from '../../events/meaning.ts';
import type { History, HistoryEntry } from '../../ranking/history.ts';
import { forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { Line } from './history-batch.ts';
import { readAllLines, readLine, readLines } from './history-lines.ts';
import type { Link, PendingEvents, PendingLines, PendingView, Reached } from './pending-events.ts';

export type HistoryLookup = {
  environment: string;
  deviceId?: string;
  userId?: string;
  /** Reads impressions too [false]. */
  withImpressions?: boolean;
  /** Version of the history that the caller holds. If it is current, nothing else is read. */
  knownVersion?: string;
  /** The device's user at the caller's last read; saves a second round trip. */
  knownUser?: string;
};

type SubjectLookup = {
  environment: string;
  subject: string;
  withImpressions: boolean;
  /** Version of the texts that the caller holds. */
  knownVersion?: string;
};

type SubjectRow = {
  /** Empty if the subject is unknown. */
  version: string;
  /** True if the caller holds the current texts; they are then omitted. */
  isKnown: boolean;
  linkedUser: string | null;
  /** True if only a public event names the user. */
  isClaimed: boolean | null;
  entries: string | null;
  impressions: string | null;
  consumed: string | null;
  /** Lines on their way to users: user, entries, impressions, consumed. */
  handed: [user: string, entries: string, impressions: string, consumed: string][] | null;
  reached: Reached | null;
};

const findStatement = `
select ordinal, version, is_known as "isKnown", linked_user as "linkedUser", is_claimed as "isClaimed",
  entries, impressions, consumed, handed, reached
from find_histories($1, $2, $3, $4, $5, $6)`;

const nobody = {
  version: '',
  isKnown: false,
  linkedUser: null,
  isClaimed: null,
  entries: null,
  impressions: null,
  consumed: null,
  handed: null,
};

/**
 * Returns one row per lookup, or the failure if its bucket is unavailable: lookups of many subjects
 * share a call.
 * @param lanes Lanes whose aggregation progress is returned.
 */
async function findSubjects(
  db: Database,
  lookups: readonly SubjectLookup[],
  lanes: readonly number[],
): Promise<(SubjectRow | DomainError)[]> {
  return forEachBucket<SubjectLookup, SubjectRow | DomainError>(
    db,
    lookups,
    ({ environment, subject }) => [environment, subject],
    (bucket, ofBucket) =>
      findInBucket(db, bucket, ofBucket, lanes).catch((error) => {
        if (!(error instanceof DomainError) || error.reason !== 'UNAVAILABLE') throw error;
        return ofBucket.map(() => error);
      }),
  );
}

async function findInBucket(
  db: Database,
  bucket: number,
  lookups: readonly SubjectLookup[],
  lanes: readonly number[],
): Promise<SubjectRow[]> {
  const values = [
    bucket,
    lookups.map(({ environment }) => environment),
    lookups.map(({ subject }) => subject),
    lookups.map(({ withImpressions }) => withImpressions),
    lookups.map(({ knownVersion }) => knownVersion ?? null),
    lanes,
  ];
  const rows = await query<SubjectRow & { ordinal: number }>(db, 'find-histories', findStatement, values);
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return lookups.map((_, i) => byOrdinal.get(i + 1) ?? { ...nobody, reached: rows[0]?.reached ?? null });
}

/** A lookup in progress, with the device and user rows read so far. */
type Asked = {
  lookup: HistoryLookup;
  /** The device's user according to pending events. */
  link: Link;
  known: { device?: string; user?: string };
  device?: SubjectRow;
  user?: SubjectRow & { userId: string };
  failure?: DomainError;
};

/** Separates the row versions from the versions of pending events. */
const versionMark = '+';

function createAsked(lookup: HistoryLookup, view: PendingView | undefined): Asked {
  const { environment, deviceId, knownVersion } = lookup;
  const link = (deviceId === undefined ? undefined : view?.findLink(environment, deviceId)) ?? {};
  const [device, user] = knownVersion?.split(versionMark, 2) ?? [];
  return { lookup, link, known: { device, user } };
}

/** Returns the user of the history, if known. */
function userOf({ lookup: { userId }, link, device }: Asked): string | undefined {
  return userId ?? linkedUserOf({ link, device });
}

function linkedUserOf({ link, device }: Pick<Asked, 'link' | 'device'>): string | undefined {
  return link.user ?? (link.isEnded ? undefined : device?.linkedUser) ?? link.claimed;
}

/** Returns the trusted user of a device by its row. */
function ownerOf(device: SubjectRow | undefined): string | undefined {
  return device?.isClaimed ? undefined : (device?.linkedUser ?? undefined);
}

/** Reads the devices and the known or guessed users, then the users found through the devices. */
async function read(db: Database, asked: readonly Asked[], view: PendingView | undefined): Promise<void> {
  await readSubjects(db, view, [
    ...asked.filter(({ lookup }) => lookup.deviceId !== undefined).map((one) => ({ one })),
    ...asked.flatMap((one) => {
      const user = userOf(one) ?? one.lookup.knownUser;
      return user === undefined ? [] : [{ one, user }];
    }),
  ]);
  const others = asked.flatMap((one) => {
    const user = userOf(one);
    return user === undefined || one.user?.userId === user ? [] : [{ one, user }];
  });
  await readSubjects(db, view, others);
}

/** The device of a lookup, or a user if `user` is given. */
type Part = { one: Asked; user?: string };

async function readSubjects(
  db: Database,
  view: PendingView | undefined,
  parts: readonly Part[],
): Promise<void> {
  if (parts.length === 0) return;
  const lookups = parts.map(({ one: { lookup, known }, user }) => ({
    environment: lookup.environment,
    subject: user === undefined ? `d:${lookup.deviceId}` : `u:${user}`,
    withImpressions: lookup.withImpressions ?? false,
    knownVersion: user === undefined ? known.device : known.user,
  }));
  const rows = await findSubjects(db, lookups, view?.lanes ?? []);
  for (const [i, { one, user }] of parts.entries()) {
    const row = rows[i];
    if (row instanceof DomainError) one.failure = row;
    else if (user === undefined) one.device = row;
    else one.user = { ...row, userId: user };
  }
}

/**
 * Returns one history per lookup, in order. It combines the events of the device with those of the
 * given user, or else of the device's latest user. Unknown subjects have an empty history. An entry
 * is undefined if the caller's version is current, or the failure if a part could not be read.
 * @param pending Pending events of this node; without them, only aggregated events are read.
 */
export async function findChangedHistories(
  db: Database,
  lookups: HistoryLookup[],
  pending?: PendingEvents,
): Promise<(History | DomainError | undefined)[]> {
  if (lookups.length === 0) return [];
  /** Taken before the query: events aggregated meanwhile are in both, and matched by number. */
  const view = pending?.view();
  const asked = lookups.map((lookup) => createAsked(lookup, view));
  await read(db, asked, view);
  const found = asked.map((one) => complete(one, view));
  const unread = asked.filter((_, i) => found[i] === 'unread');
  for (const one of unread) one.known = {};
  if (unread.length > 0) await read(db, unread, view);
  return asked.map((one, i) => {
    if (one.failure) return one.failure;
    return (found[i] === 'unread' ? complete(one, view) : found[i]) as History | undefined;
  });
}

/** Returns complete histories, for callers that hold none. Throws the first failure. */
export async function findHistories(
  db: Database,
  lookups: Omit<HistoryLookup, 'knownVersion'>[],
  pending?: PendingEvents,
): Promise<History[]> {
  const found = await findChangedHistories(db, lookups, pending);
  const failure = found.find((one) => one instanceof DomainError);
  if (failure) throw failure;
  return found as History[];
}

/** A user (`u:USER`) or device (`d:DEVICE`) that has a history. */
export type KeptSubject = { environment: string; subject: string };

const keptStatement = `
select environment, subject from histories
where bucket = $1 and (environment, subject) > ($2, $3) order by environment, subject limit $4`;

/** Lists subjects of a bucket in key order, after `after` or from the start. */
export async function listKeptSubjects(
  db: Database,
  bucket: number,
  { after, limit }: { after?: KeptSubject; limit: number },
): Promise<KeptSubject[]> {
  const values = [bucket, after?.environment ?? '', after?.subject ?? '', limit];
  return query<KeptSubject>(db, 'list-kept-subjects', keptStatement, values);
}

const nothing: PendingLines = { entries: [], impressions: [], left: [] };

/**
 * Combines the rows with pending events. Returns undefined if nothing changed, and `unread` if one
 * part changed but the texts of the other are missing.
 */
function complete(asked: Asked, view: PendingView | undefined): History | 'unread' | undefined {
  const { lookup, link, device } = asked;
  const { environment, deviceId, withImpressions } = lookup;
  const person = userOf(asked);
  /** Ignores the row of a wrongly guessed user. */
  const user = asked.user?.userId === person ? asked.user : undefined;
  const linesOf = (subject: string, row: SubjectRow | undefined) =>
    view?.linesOf(environment, subject, row?.reached ?? {}) ?? nothing;
  const ofDevice = deviceId === undefined ? nothing : linesOf(`d:${deviceId}`, device);
  const ofUser = person === undefined ? nothing : linesOf(`u:${person}`, user);
  const added = [placeOfLast(ofDevice), placeOfLast(ofUser), JSON.stringify(link)];
  const version = [device?.version ?? '', user?.version ?? '', ...added].join(versionMark);
  if (version === lookup.knownVersion) return undefined;
  if (device?.isKnown || user?.isKnown) return 'unread';
  const onDevice = linesOnDevice(device, ofDevice.left, person);
  const parts = [...onDevice.leave, ofUser, user ?? nobody, ofDevice, onDevice.stay];
  const entries = merge(parts.map((part) => part.entries));
  const impressions = withImpressions
    ? merge(parts.map((part) => part.impressions))
    : { kept: [], beyond: [] };
  const consumed = parts.flatMap((part) => ('consumed' in part ? readAllLines(part.consumed) : []));
  const older = [...entries.beyond, ...impressions.beyond, ...consumed];
  const isLeft = forgetItems([...entries.kept, ...older]);
  return {
    entries: entries.kept.filter(isLeft),
    impressions: impressions.kept.filter(isLeft),
    consumed: older.filter(isLeft),
    linkedUser: linkedUserOf(asked),
    owner: link.user ?? (link.isEnded ? undefined : ownerOf(device)),
    version,
  };
}

/** Returns whether an entry is later than the request to forget its item. */
function forgetItems(entries: readonly HistoryEntry[]): (entry: HistoryEntry) => boolean {
  const forgotten = new Map<string, number>();
  const keyOf = ({ itemType, itemId }: HistoryEntry) => `${itemType}\t${itemId}`;
  for (const entry of entries)
    if (isForgetting(entry.qualifier))
      forgotten.set(
        keyOf(entry),
        Math.max(entry.occurredAtSeconds, forgotten.get(keyOf(entry)) ?? Number.NEGATIVE_INFINITY),
      );
  if (forgotten.size === 0) return () => true;
  return (entry) => entry.occurredAtSeconds > (forgotten.get(keyOf(entry)) ?? Number.NEGATIVE_INFINITY);
}

/** Lines without log positions, as a row has them. */
type Texts = Pick<SubjectRow, 'entries' | 'impressions' | 'consumed'>;

/** Returns the lines that stay on the device, and those that leave it for the user, newest first. */
function linesOnDevice(
  device: SubjectRow = { ...nobody, reached: null },
  left: PendingLines['left'],
  person: string | undefined,
): { stay: Texts; leave: (Texts | PendingLines['left'][number])[] } {
  const isTheirs = (place: number): boolean => {
    const { isFirst, owner, next } = left[place];
    const before = place > 0 ? left[place - 1].next : isFirst ? ownerOf(device) : owner;
    return person !== undefined && (before ?? next) === person;
  };
  const handed = (device.handed ?? [])
    .filter(([user]) => user === person)
    .map(([, entries, impressions, consumed]) => ({ entries, impressions, consumed }));
  if (left.length === 0) return { stay: device, leave: handed };
  const leave = left.filter((_, place) => isTheirs(place)).toReversed();
  return { stay: nobody, leave: [...leave, ...(isTheirs(0) ? [device] : []), ...handed] };
}

/** Returns a key that changes whenever lines are added. */
function placeOfLast({ entries, impressions, left }: PendingLines): string {
  return [entries, impressions, left]
    .map((lines) => lines.at(-1))
    .map((line) => (line ? `${line.lane}.${line.bucket}.${line.number}` : ''))
    .join('/');
}

/** Merges parts, newest first. Within one second, a subject's latest arrivals come first. */
function merge(parts: (string | Line[] | null | undefined)[]): ReturnType<typeof readLines> {
  const read = parts.map((part) =>
    Array.isArray(part)
      ? { kept: part.toReversed().map(({ text }) => readLine(text)), beyond: [] }
      : readLines(part ?? null),
  );
  return {
    kept: read.flatMap(({ kept }) => kept).sort((a, b) => b.occurredAtSeconds - a.occurredAtSeconds),
    beyond: read.flatMap(({ beyond }) => beyond),
  };
}
