/**
 * What users and devices did last, newest first: what was folded, from the database, and what was stored since, from this node's memory.
 *
 * Each row says up to which event it is complete, so an event is read once, wherever it is at the moment.
 */
import { type Database, query } from '../database.ts';
import type { Line } from './history-batch.ts';
import { type HistoryEntry, readLine, readLines } from './history-lines.ts';
import type { UnfoldedEvents, UnfoldedLines, UnfoldedView } from './unfolded-events.ts';

export type { HistoryEntry } from './history-lines.ts';

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
  /** The last events that the rows hold. */
  deviceUntil: number | null;
  userUntil: number | null;
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
select version, "isKnown", found.linked_user as "linkedUser", device_until as "deviceUntil", person_until as "userUntil",
  case when not "isKnown" then concat_ws(E'\\n', device_entries, device_older_entries) end as "deviceEntries",
  case when not "isKnown" then concat_ws(E'\\n', person_entries, person_older_entries) end as "userEntries",
  case when not "isKnown" and with_impressions
    then concat_ws(E'\\n', device_impressions, device_older_impressions) end as "deviceImpressions",
  case when not "isKnown" and with_impressions
    then concat_ws(E'\\n', person_impressions, person_older_impressions) end as "userImpressions"
from (
  select lookup.ordinal, lookup.with_impressions, device.linked_user,
    device.folded_until as device_until, person.folded_until as person_until,
    device.entries as device_entries, device.older_entries as device_older_entries,
    device.impressions as device_impressions, device.older_impressions as device_older_impressions,
    person.entries as person_entries, person.older_entries as person_older_entries,
    person.impressions as person_impressions, person.older_impressions as person_older_impressions,
    versions.version, versions.version is not distinct from lookup.known_version as "isKnown"
  from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[])
    with ordinality as lookup(environment, device_id, user_id, with_impressions, known_version, ordinal)
  left join lateral (
    select linked_user, entries, older_entries, impressions, older_impressions, folded_until, xmin::text || ctid::text as version
    from histories
    where environment = lookup.environment and subject = 'd:' || lookup.device_id limit 1
  ) as device on true
  left join lateral (
    select entries, older_entries, impressions, older_impressions, folded_until, xmin::text || ctid::text as version
    from histories
    where environment = lookup.environment and subject = 'u:' || coalesce(lookup.user_id, device.linked_user) limit 1
  ) as person on true
  cross join lateral (select concat(device.version, '/', person.version) as version) as versions
) as found
order by ordinal`;

/**
 * One history per lookup, in order: the device's events with the given user's, or with those of the user last seen on the
 * device when none is given. Unknown users and devices have an empty history. Undefined where the caller's is still right.
 * @param unfolded Of this node; without it, what was folded.
 */
export async function findChangedHistories(
  db: Database,
  lookups: HistoryLookup[],
  unfolded?: UnfoldedEvents,
): Promise<(History | undefined)[]> {
  if (lookups.length === 0) return [];
  /** Before the database is asked: what is folded meanwhile is then found in both, and told by its number. */
  const view = unfolded?.view();
  const asked = lookups.map((lookup) => withLink(lookup, view));
  const found = (await findRows(db, asked)).map((row, i) => complete(row, asked[i], view));
  const unread = asked.filter((_, i) => found[i] === 'unread');
  const read = (await findRows(db, unread.map(withoutVersion))).map((row, i) =>
    complete(row, unread[i], view),
  );
  return found.map((history) => (history === 'unread' ? read.shift() : history)) as (History | undefined)[];
}

/** The same for a caller who has none yet. */
export async function findHistories(
  db: Database,
  lookups: Omit<HistoryLookup, 'knownVersion'>[],
  unfolded?: UnfoldedEvents,
): Promise<History[]> {
  return (await findChangedHistories(db, lookups, unfolded)) as History[];
}

/** `link`: the user who was seen with the device since the last fold. */
type AskedLookup = HistoryLookup & { link?: string };

function withLink(lookup: HistoryLookup, view: UnfoldedView | undefined): AskedLookup {
  const { environment, deviceId, userId } = lookup;
  if (!view || deviceId === undefined) return lookup;
  const link = view.findLinkedUser(environment, deviceId);
  return link === undefined ? lookup : { ...lookup, link, userId: userId ?? link };
}

function withoutVersion(lookup: AskedLookup): AskedLookup {
  return { ...lookup, knownVersion: undefined };
}

async function findRows(db: Database, lookups: AskedLookup[]): Promise<FoundRow[]> {
  if (lookups.length === 0) return [];
  const values = [
    lookups.map((lookup) => lookup.environment),
    lookups.map((lookup) => lookup.deviceId ?? null),
    lookups.map((lookup) => lookup.userId ?? null),
    lookups.map((lookup) => lookup.withImpressions ?? false),
    lookups.map((lookup) => lookup.knownVersion?.split(versionMark, 1)[0] ?? null),
  ];
  return query<FoundRow>(db, { name: 'find-histories', text: findStatement, values });
}

/** Between the version of the rows and what was added to them. */
const versionMark = '+';

const nothing: UnfoldedLines = { entries: [], impressions: [], lastSequence: 0 };

/** Undefined where nothing changed; `unread` where only what is not folded changed, and the rows' texts are missing. */
function complete(
  row: FoundRow,
  { environment, deviceId, userId, knownVersion, link, withImpressions }: AskedLookup,
  view: UnfoldedView | undefined,
): History | 'unread' | undefined {
  const person = userId ?? row.linkedUser ?? undefined;
  const linesOf = (subject: string, until: number | null) =>
    view?.linesOf({ environment, subject, afterSequence: until ?? 0 }) ?? nothing;
  const ofDevice = deviceId === undefined ? nothing : linesOf(`d:${deviceId}`, row.deviceUntil);
  const ofUser = person === undefined ? nothing : linesOf(`u:${person}`, row.userUntil);
  const added = [Math.max(ofDevice.lastSequence, ofUser.lastSequence), JSON.stringify(link ?? '')];
  const version = [row.version, ...added].join(versionMark);
  if (version === knownVersion) return undefined;
  if (row.isKnown) return 'unread';
  const impressions = [row.userImpressions, ofUser.impressions, row.deviceImpressions, ofDevice.impressions];
  return {
    entries: merge([row.userEntries, ofUser.entries, row.deviceEntries, ofDevice.entries]),
    impressions: withImpressions ? merge(impressions) : [],
    linkedUser: link ?? row.linkedUser ?? undefined,
    version,
  };
}

/** Newest first. */
function merge(parts: (string | Line[] | null)[]): HistoryEntry[] {
  const entries = parts.flatMap((part) =>
    Array.isArray(part) ? part.toReversed().map(({ text }) => readLine(text)) : readLines(part),
  );
  return entries.sort((a, b) => b.occurredAtSeconds - a.occurredAtSeconds);
}
