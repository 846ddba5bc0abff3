/**
 * What users and devices did last, newest first.
 *
 * Entries are lines of `unixSeconds TAB eventType TAB itemType TAB itemId`; backslash, tab and newline inside a part are
 * escaped. They are appended in the order of arrival and sorted by time when they are read.
 */
import { type Database, query } from './database.ts';

/** Kept per user or device; older ones fall off. */
export const maxHistoryEntries = 300;

/** A text of older entries that is as long was cut (migrations/counting/commit-events.ts). */
const mostOlderCharacters = 24_000;

export type HistoryEntry = { eventType: string; itemType: string; itemId: string; occurredAtSeconds: number };

export type HistoryLookup = {
  environment: string;
  deviceId?: string;
  userId?: string;
  /** Read what the user was shown, too [false]. */
  withImpressions?: boolean;
  /** Of a history that the caller still has; unless it changed since, nothing else is read. */
  knownVersion?: string;
};

export type History = {
  /** Of the device and of the user together; a repeated event stands repeatedly. */
  entries: HistoryEntry[];
  /** What the user was shown; empty when it was not asked for. */
  impressions: HistoryEntry[];
  /** The last user seen with the device. */
  linkedUser?: string;
  /** Another one after every change of what the lookup found. */
  version: string;
};

type FoundRow = {
  version: string;
  isKnown: boolean;
  linkedUser: string | null;
  deviceEntries: string | null;
  userEntries: string | null;
  deviceImpressions: string | null;
  userImpressions: string | null;
};

/**
 * A version is the transaction that wrote the row and the row's place, which no two states of a row share. The texts stay
 * unread, in TOAST mostly, when the caller has them: 300 entries cost some 50 µs to unpack, join and send.
 */
const findStatement = `
select version, "isKnown", found.linked_user as "linkedUser",
  case when not "isKnown" then concat_ws(E'\\n', device_entries, device_older_entries) end as "deviceEntries",
  case when not "isKnown" then concat_ws(E'\\n', person_entries, person_older_entries) end as "userEntries",
  case when not "isKnown" and with_impressions
    then concat_ws(E'\\n', device_impressions, device_older_impressions) end as "deviceImpressions",
  case when not "isKnown" and with_impressions
    then concat_ws(E'\\n', person_impressions, person_older_impressions) end as "userImpressions"
from (
  select lookup.ordinal, lookup.with_impressions, device.linked_user,
    device.entries as device_entries, device.older_entries as device_older_entries,
    device.impressions as device_impressions, device.older_impressions as device_older_impressions,
    person.entries as person_entries, person.older_entries as person_older_entries,
    person.impressions as person_impressions, person.older_impressions as person_older_impressions,
    versions.version, versions.version is not distinct from lookup.known_version as "isKnown"
  from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[])
    with ordinality as lookup(environment, device_id, user_id, with_impressions, known_version, ordinal)
  left join lateral (
    select linked_user, entries, older_entries, impressions, older_impressions, xmin::text || ctid::text as version from histories
    where environment = lookup.environment and subject = 'd:' || lookup.device_id limit 1
  ) as device on true
  left join lateral (
    select entries, older_entries, impressions, older_impressions, xmin::text || ctid::text as version from histories
    where environment = lookup.environment and subject = 'u:' || coalesce(lookup.user_id, device.linked_user) limit 1
  ) as person on true
  cross join lateral (select concat(device.version, '/', person.version) as version) as versions
) as found
order by ordinal`;

/**
 * One history per lookup, in order: the device's events with the given user's, or with those of the user last seen on the
 * device when none is given. Unknown users and devices have an empty history. Undefined where the caller's is still right.
 */
export async function findChangedHistories(
  db: Database,
  lookups: HistoryLookup[],
): Promise<(History | undefined)[]> {
  if (lookups.length === 0) return [];
  const values = [
    lookups.map((lookup) => lookup.environment),
    lookups.map((lookup) => lookup.deviceId ?? null),
    lookups.map((lookup) => lookup.userId ?? null),
    lookups.map((lookup) => lookup.withImpressions ?? false),
    lookups.map((lookup) => lookup.knownVersion ?? null),
  ];
  const rows = await query<FoundRow>(db, { name: 'find-histories', text: findStatement, values });
  return rows.map((row) => (row.isKnown ? undefined : readHistory(row)));
}

/** The same for a caller who has none yet. */
export async function findHistories(
  db: Database,
  lookups: Omit<HistoryLookup, 'knownVersion'>[],
): Promise<History[]> {
  return (await findChangedHistories(db, lookups)) as History[];
}

/** What a group of events adds to one history; names are columns. */
export type HistoryAddition = {
  environment: string;
  /** `u:USER` or `d:DEVICE`. */
  subject: string;
  linked_user?: string;
  /** Newest first. */
  entries?: string;
  impressions?: string;
};

type HistoryEvent = {
  environment: string;
  occurredAtMs: number;
  eventType: string;
  itemType?: string;
  itemId?: string;
  userId?: string;
  deviceId?: string;
  robot: boolean;
};

type Line = { occurredAtMs: number; text: string };
type Gathered = { addition: HistoryAddition; entries: Line[]; impressions: Line[] };

/** What somebody was shown; every other event is something they did. */
const impressionTypes = new Set([
  'impression',
  'search_impression',
  'batch_impression',
  'session_impression',
]);

/**
 * One addition for each user and device. An event goes to its user, else to its device, which also learns who used it last; a
 * robot's goes nowhere.
 * @param events In the order of arrival.
 */
export function gatherHistories(events: Iterable<HistoryEvent>): HistoryAddition[] {
  const gathered = new Map<string, Gathered>();
  for (const event of events) {
    const { environment, userId, deviceId, robot } = event;
    if (robot || (userId === undefined && deviceId === undefined)) continue;
    const line = encodeLine(event);
    const subject = userId !== undefined ? `u:${userId}` : `d:${deviceId}`;
    if (line)
      additionOf(gathered, environment, subject)[
        impressionTypes.has(event.eventType) ? 'impressions' : 'entries'
      ].push(line);
    if (userId !== undefined && deviceId !== undefined)
      additionOf(gathered, environment, `d:${deviceId}`).addition.linked_user = userId;
  }
  return Array.from(gathered.values(), ({ addition, entries, impressions }) => ({
    ...addition,
    entries: joinNewest(entries),
    impressions: joinNewest(impressions),
  }));
}

function additionOf(gathered: Map<string, Gathered>, environment: string, subject: string): Gathered {
  const place = `${environment}\0${subject}`;
  let found = gathered.get(place);
  if (!found) {
    found = { addition: { environment, subject }, entries: [], impressions: [] };
    gathered.set(place, found);
  }
  return found;
}

/** Of one moment the one that arrived last comes first. */
function joinNewest(lines: Line[]): string | undefined {
  if (lines.length === 0) return undefined;
  const newest = lines.reverse().sort((a, b) => b.occurredAtMs - a.occurredAtMs);
  return newest
    .slice(0, maxHistoryEntries)
    .map(({ text }) => text)
    .join('\n');
}

/** Undefined for an event without an item, which is no part of a history. */
function encodeLine({ occurredAtMs, eventType, itemType, itemId }: HistoryEvent): Line | undefined {
  if (itemId === undefined || itemType === undefined) return undefined;
  const seconds = Math.floor(occurredAtMs / 1_000);
  return {
    occurredAtMs,
    text: `${seconds}\t${escapePart(eventType)}\t${escapePart(itemType)}\t${escapePart(itemId)}`,
  };
}

function readHistory(row: FoundRow): History {
  return {
    entries: merge(row.userEntries, row.deviceEntries),
    impressions: merge(row.userImpressions, row.deviceImpressions),
    linkedUser: row.linkedUser ?? undefined,
    version: row.version,
  };
}

/** Newest first. */
function merge(ofUser: string | null, ofDevice: string | null): HistoryEntry[] {
  const entries = [...readEntries(ofUser), ...readEntries(ofDevice)];
  return entries.sort((a, b) => b.occurredAtSeconds - a.occurredAtSeconds);
}

/** A text that was cut may end within an entry, which is left out. */
function readEntries(text: string | null): HistoryEntry[] {
  if (!text) return [];
  const lines = text.split('\n');
  if (text.length >= mostOlderCharacters) lines.pop();
  return lines
    .filter((line) => line !== '')
    .slice(0, maxHistoryEntries)
    .map(readEntry);
}

function readEntry(text: string): HistoryEntry {
  const [seconds, eventType, itemType, itemId] = text.split('\t');
  return {
    eventType: unescapePart(eventType),
    itemType: unescapePart(itemType),
    itemId: unescapePart(itemId),
    occurredAtSeconds: Number(seconds),
  };
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' };
const characters: Record<string, string> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n' };

function escapePart(part: string): string {
  return /[\\\t\n]/.test(part) ? part.replaceAll(/[\\\t\n]/g, (character) => escapes[character]) : part;
}

function unescapePart(part: string): string {
  return part.includes('\\') ? part.replaceAll(/\\[\\tn]/g, (sequence) => characters[sequence]) : part;
}
