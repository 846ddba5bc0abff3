/**
 * What users and devices did last, newest first: what was aggregated, from the database, and what was stored
 * since, from this node's memory.
 *
 * Each bucket says up to which events it is complete, in the same statement, so an event is read once,
 * wherever it is at the moment. A history is made of two subjects, the device and its user, which lie in
 * buckets of their own; who the user of a device is stands with the device, so when nobody says it the user
 * is read after the device.
 *
 * Where it is only claimed whose a device is, the user's history counts in lists on that device, and in nothing else.
 */

import { DomainError } from '../../errors.ts';
import type { History } from '../../ranking/history.ts';
import { bucketCountOf, forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { bucketOfSubject } from './bucket-facts.ts';
import type { Line } from './history-batch.ts';
import { readAllLines, readLine, readLines } from './history-lines.ts';
import type { Link, PendingEvents, PendingLines, PendingView, Reached } from './pending-events.ts';

export type HistoryLookup = {
  environment: string;
  deviceId?: string;
  userId?: string;
  /** Read what the user was shown, too [false]. */
  withImpressions?: boolean;
  /** Of a history that the caller still has; unless it changed since, nothing else is read. */
  knownVersion?: string;
  /** Whom the device belonged to when the caller read it; saves asking twice. */
  knownUser?: string;
};

/** One user or device. */
type SubjectLookup = {
  environment: string;
  subject: string;
  withImpressions: boolean;
  /** Of texts that the caller has. */
  knownVersion?: string;
};

type SubjectRow = {
  /** Empty when nothing is known of the subject. */
  version: string;
  /** The texts are missing, since the caller has them. */
  isKnown: boolean;
  linkedUser: string | null;
  /** By an event that nobody vouches for. */
  isClaimed: boolean | null;
  entries: string | null;
  impressions: string | null;
  consumed: string | null;
  reached: Reached | null;
};

const findStatement = `
select ordinal, version, is_known as "isKnown", linked_user as "linkedUser", is_claimed as "isClaimed",
  entries, impressions, consumed, reached
from find_histories($1, $2, $3, $4, $5, $6)`;

const subjectShape: Shape<SubjectRow & { ordinal: number }> = {
  ordinal: 'int8',
  version: 'text',
  isKnown: 'bool',
  linkedUser: 'text?',
  isClaimed: 'bool?',
  entries: 'text?',
  impressions: 'text?',
  consumed: 'text?',
  reached: 'json?',
};

const nobody = {
  version: '',
  isKnown: false,
  linkedUser: null,
  isClaimed: null,
  entries: null,
  impressions: null,
  consumed: null,
};

/**
 * One answer per lookup; the failure where its bucket is away, since many people's lookups come together.
 * @param lanes Of which the answer says how far aggregation has come.
 */
async function findSubjects(
  db: Database,
  lookups: readonly SubjectLookup[],
  lanes: readonly number[],
): Promise<(SubjectRow | DomainError)[]> {
  const bucketCount = await bucketCountOf(db);
  return forEachBucket<SubjectLookup, SubjectRow | DomainError>(
    lookups,
    ({ environment, subject }) => bucketOfSubject(bucketCount, environment, subject),
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
  const statement = { name: 'find-histories', text: findStatement, values };
  const rows = await query(db, statement, subjectShape);
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return lookups.map((_, i) => byOrdinal.get(i + 1) ?? { ...nobody, reached: rows[0]?.reached ?? null });
}

/** A lookup on its way: the device and its user as far as they were read. */
type Asked = {
  lookup: HistoryLookup;
  /** Whose the device is by what is not aggregated. */
  link: Link;
  known: { device?: string; user?: string };
  device?: SubjectRow;
  user?: SubjectRow & { userId: string };
  /** Of one of both. */
  failure?: DomainError;
};

/** Between the versions of the rows and what was added to them. */
const versionMark = '+';

function createAsked(lookup: HistoryLookup, view: PendingView | undefined): Asked {
  const { environment, deviceId, knownVersion } = lookup;
  const link = (deviceId === undefined ? undefined : view?.findLink(environment, deviceId)) ?? {};
  const [device, user] = knownVersion?.split(versionMark, 2) ?? [];
  return { lookup, link, known: { device, user } };
}

/** Who the history's user is, as far as that is known. */
function userOf({ lookup: { userId }, link, device }: Asked): string | undefined {
  return userId ?? linkedUserOf({ link, device });
}

function linkedUserOf({ link, device }: Pick<Asked, 'link' | 'device'>): string | undefined {
  return link.user ?? device?.linkedUser ?? link.claimed;
}

/** Reads the devices, and the users that are known or guessed; then the users whom the devices belong to. */
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

/** `user` absent: the device. */
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
 * One history per lookup, in order: the device's events with the given user's, or with those of the user
 * last seen on the device when none is given. Unknown users and devices have an empty history. Undefined
 * where the caller's is still right; the failure where a part of it could not be read.
 * @param pending Of this node; without it, what was aggregated.
 */
export async function findChangedHistories(
  db: Database,
  lookups: HistoryLookup[],
  pending?: PendingEvents,
): Promise<(History | DomainError | undefined)[]> {
  if (lookups.length === 0) return [];
  /** Before the database is asked: what is aggregated meanwhile is then found in both, and told by its number. */
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

/** The same for a caller who has none yet. */
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

/** A user (`u:USER`) or device (`d:DEVICE`) of whom a history is kept. */
export type KeptSubject = { environment: string; subject: string };

const keptShape: Shape<KeptSubject> = { environment: 'text', subject: 'text' };

const keptStatement = `
select environment, subject from histories
where bucket = $1 and (environment, subject) > ($2, $3) order by environment, subject limit $4`;

/** The next ones of a bucket, in the order of its key; the first where none is given. */
export async function listKeptSubjects(
  db: Database,
  bucket: number,
  { after, limit }: { after?: KeptSubject; limit: number },
): Promise<KeptSubject[]> {
  const values = [bucket, after?.environment ?? '', after?.subject ?? '', limit];
  return query(db, { name: 'list-kept-subjects', text: keptStatement, values }, keptShape);
}

const nothing: PendingLines = { entries: [], impressions: [] };

/** Undefined where nothing changed; `unread` where only a part changed, and the texts of another are missing. */
function complete(asked: Asked, view: PendingView | undefined): History | 'unread' | undefined {
  const { lookup, link, device } = asked;
  const { environment, deviceId, withImpressions } = lookup;
  const person = userOf(asked);
  /** A guess may have been wrong. */
  const user = asked.user?.userId === person ? asked.user : undefined;
  const linesOf = (subject: string, row: SubjectRow | undefined) =>
    view?.linesOf(environment, subject, row?.reached ?? {}) ?? nothing;
  const ofDevice = deviceId === undefined ? nothing : linesOf(`d:${deviceId}`, device);
  const ofUser = person === undefined ? nothing : linesOf(`u:${person}`, user);
  const added = [placeOfLast(ofDevice), placeOfLast(ofUser), JSON.stringify(link)];
  const version = [device?.version ?? '', user?.version ?? '', ...added].join(versionMark);
  if (version === lookup.knownVersion) return undefined;
  if (device?.isKnown || user?.isKnown) return 'unread';
  const entries = merge([ofUser.entries, user?.entries, ofDevice.entries, device?.entries]);
  const impressions = withImpressions
    ? merge([ofUser.impressions, user?.impressions, ofDevice.impressions, device?.impressions])
    : { kept: [], beyond: [] };
  const consumed = [user, device].flatMap((row) => readAllLines(row?.consumed ?? null));
  return {
    entries: entries.kept,
    impressions: impressions.kept,
    consumed: [...entries.beyond, ...impressions.beyond, ...consumed],
    linkedUser: linkedUserOf(asked),
    owner: link.user ?? (device?.isClaimed ? undefined : (device?.linkedUser ?? undefined)),
    version,
  };
}

/** Another one when lines were added. */
function placeOfLast({ entries, impressions }: PendingLines): string {
  return [entries, impressions]
    .map((lines) => lines.at(-1))
    .map((line) => (line ? `${line.lane}.${line.bucket}.${line.number}` : ''))
    .join('/');
}

/** Newest first; of those of one second too, when of a subject what arrived last is given first. As many as are kept. */
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
