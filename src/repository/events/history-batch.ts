/** Gathers what events add to the histories of their users and devices. */

import { isImpression, isSignOut, refundType } from '../../events/meaning.ts';
import { getOrAdd } from '../../ranking/runtime/get-or-add.ts';
import { encodeLine, maxHistoryEntries } from './history-lines.ts';

/** Addition of one aggregation to a history; the names are columns. */
export type HistoryAddition = {
  environment: string;
  /** `u:USER` or `d:DEVICE`. */
  subject: string;
  /**
   * Arrival of the event that links user and device, in milliseconds since the epoch. Absent with a
   * user: the link is only claimed by a public event.
   */
  linked_at?: number;
  linked_user?: string;
  /** Newest first. */
  entries?: string;
  impressions?: string;
  /** Consumed items beyond the history limit, each once. */
  consumed?: string;
};

/** In the order in which sql/aggregate-histories.sql reads them. */
export const historyColumns = [
  'environment',
  'subject',
  'linked_at',
  'linked_user',
  'entries',
  'impressions',
  'consumed',
] as const;

/** `EVENT_TYPE[:QUALIFIER] TAB ITEM_TYPE` of events that are kept beyond the history limit: consuming ones and opinions. */
export type ConsumingKinds = ReadonlySet<string>;

export type HistoryEvent = {
  environment: string;
  occurredAtMs: number;
  eventType: string;
  itemType?: string;
  itemId?: string;
  userId?: string;
  deviceId?: string;
  robot: boolean;
  isPublic?: boolean;
  details?: unknown;
  bucket: number;
  lane: number;
  number: number;
  receivedAtMs: number;
};

/** A line in the format of history-lines.ts, with the log position of its event. */
export type Line = { bucket: number; lane: number; number: number; occurredAtMs: number; text: string };

/**
 * Lines of a device before an event that gives it to the user `next`, or signs it out. They belong
 * to the user before, else to the next one, else to nobody.
 */
export type Leaving = Pick<Line, 'bucket' | 'lane' | 'number'> & {
  /** Arrival of the event, in milliseconds since the epoch. */
  atMs: number;
  /** Whether only the database knows the user before. */
  isFirst: boolean;
  owner?: string;
  next?: string;
  entries?: Line[];
  impressions?: Line[];
};

/** Additions to one subject, lines in order of arrival. */
export type GatheredHistory = {
  environment: string;
  kind: SubjectKind;
  id: string;
  entries?: Line[];
  impressions?: Line[];
  /** Latest user of the device, with the time of arrival. */
  linkedUser?: string;
  linkedAtMs?: number;
  /** First user named by a public event. */
  claimedUser?: string;
  /** Parts of a device's lines that came before `entries` and `impressions`. */
  leaving?: Leaving[];
};

export type SubjectKind = 'u' | 'd';

export type HistoryBatch = {
  find(environment: string, kind: SubjectKind, id: string): GatheredHistory | undefined;
  /** Returns the subject's additions, created empty if missing. */
  of(environment: string, kind: SubjectKind, id: string): GatheredHistory;
  values(): Iterable<GatheredHistory>;
};

/** Batches that receive the histories of an event's user and device. */
export type HistoryPlaces = { user: HistoryBatch; device: HistoryBatch };

export function createHistoryBatch(): HistoryBatch {
  const histories = new Map<string, GatheredHistory>();
  const keyOf = (environment: string, kind: SubjectKind, id: string) => `${kind}${environment}\0${id}`;
  return {
    find: (environment, kind, id) => histories.get(keyOf(environment, kind, id)),
    of: (environment, kind, id) =>
      getOrAdd(histories, keyOf(environment, kind, id), () => ({ environment, kind, id })),
    values: () => histories.values(),
  };
}

/**
 * Adds an event to its user, or else to its device. The device also records its latest user.
 * Robots' events are ignored. A public event only claims a device that has no user yet. Call it in
 * order of arrival.
 * @param qualifier See events/meaning.ts.
 */
export function gatherHistory(places: HistoryPlaces, event: HistoryEvent, qualifier?: string): void {
  const { environment, userId, deviceId, robot, occurredAtMs, bucket, lane, number } = event;
  if (robot || (userId === undefined && deviceId === undefined)) return;
  const text = event.eventType === refundType ? undefined : encodeLine(event, qualifier);
  if (text !== undefined) {
    const history =
      userId !== undefined
        ? places.user.of(environment, 'u', userId)
        : places.device.of(environment, 'd', deviceId!);
    const line = { bucket, lane, number, occurredAtMs, text };
    const name = isImpression(event.eventType) ? 'impressions' : 'entries';
    history[name] ??= [];
    history[name].push(line);
  }
  if (deviceId === undefined) return;
  if (isSignOut(event)) leave(places.device.of(environment, 'd', deviceId), event, undefined);
  else if (userId !== undefined) {
    const device = places.device.of(environment, 'd', deviceId);
    if (event.isPublic) device.claimedUser ??= userId;
    else leave(device, event, userId);
  }
}

/** Links the device to a user, or to none; its lines so far leave it. */
function leave(device: GatheredHistory, event: HistoryEvent, next: string | undefined): void {
  const { bucket, lane, number, receivedAtMs: atMs } = event;
  const { entries, impressions, linkedUser: owner, leaving } = device;
  if (!leaving || owner !== next || entries || impressions) {
    const part = { bucket, lane, number, atMs, isFirst: !leaving, owner, next, entries, impressions };
    device.leaving = [...(leaving ?? []), part];
  }
  device.entries = undefined;
  device.impressions = undefined;
  device.claimedUser = undefined;
  device.linkedUser = next;
  device.linkedAtMs = next === undefined ? undefined : atMs;
}

/** Returns one addition per subject. */
export function listAdditions(batch: HistoryBatch, consuming: ConsumingKinds): HistoryAddition[] {
  return Array.from(batch.values(), (gathered) => {
    const entries = newestFirst(gathered.entries);
    const impressions = newestFirst(gathered.impressions);
    return {
      environment: gathered.environment,
      subject: `${gathered.kind}:${gathered.id}`,
      linked_at: gathered.linkedAtMs === undefined ? undefined : Math.floor(gathered.linkedAtMs),
      linked_user: gathered.linkedUser ?? gathered.claimedUser,
      entries: joinLines(entries.slice(0, maxHistoryEntries)),
      impressions: joinLines(impressions.slice(0, maxHistoryEntries)),
      consumed: joinLines([...consumedBeyond(entries, consuming), ...consumedBeyond(impressions, consuming)]),
    };
  });
}

/** A part of a device's lines as `leave_devices` takes it. */
export type LeavingRow = {
  environment: string;
  subject: string;
  place: number;
  at: number;
  /** Arrival in microseconds since the epoch. */
  at_us: number;
  is_first: boolean;
  owner?: string;
  next?: string;
  entries?: string;
  impressions?: string;
};

/** Returns the parts of lines that leave devices, those of a device in order. */
export function listLeaving(batch: HistoryBatch): LeavingRow[] {
  const rows: LeavingRow[] = [];
  for (const { environment, id, leaving = [] } of batch.values())
    for (const { atMs, isFirst, owner, next, entries, impressions } of leaving)
      rows.push({
        environment,
        subject: `d:${id}`,
        place: rows.length,
        at: Math.floor(atMs),
        at_us: Math.round(atMs * 1_000),
        is_first: isFirst,
        owner,
        next,
        entries: joinLines(newestFirst(entries).slice(0, maxHistoryEntries)),
        impressions: joinLines(newestFirst(impressions).slice(0, maxHistoryEntries)),
      });
  return rows;
}

/** Sorts by event time, newest first; at equal times the latest arrival comes first. */
function newestFirst(lines: readonly Line[] = []): readonly Line[] {
  return lines.length < 2 ? lines : lines.toReversed().sort((a, b) => b.occurredAtMs - a.occurredAtMs);
}

function joinLines(lines: readonly Pick<Line, 'text'>[]): string | undefined {
  return lines.length === 0 ? undefined : lines.map(({ text }) => text).join('\n');
}

/** Returns the consumed lines beyond the limit, newest first, each event type and item once. */
function consumedBeyond(lines: readonly Line[], consuming: ConsumingKinds): Iterable<Line> {
  const found = new Map<string, Line>();
  for (const line of lines.slice(maxHistoryEntries)) {
    const what = line.text.slice(line.text.indexOf('\t') + 1);
    if (consuming.has(what.slice(0, what.lastIndexOf('\t'))) && !found.has(what)) found.set(what, line);
  }
  return found.values();
}
