/** What several events add to the histories of their users and devices. */
import { isImpression } from '../../events/meaning.ts';
import { createGrouped, type Grouped } from '../grouped.ts';
import { encodeLine, maxHistoryEntries } from './history-lines.ts';

/** What an aggregation adds to one history; names are columns. */
export type HistoryAddition = {
  environment: string;
  /** `u:USER` or `d:DEVICE`. */
  subject: string;
  /**
   * When the user was seen with the device: arrival, milliseconds since the epoch. Absent beside a user: the link is
   * claimed, by an event that nobody vouches for.
   */
  linked_at?: number;
  linked_user?: string;
  /** Newest first. */
  entries?: string;
  impressions?: string;
  /** Of what it has more than a history holds, what was consumed, each once. */
  consumed?: string;
};

/** `EVENT_TYPE TAB ITEM_TYPE` of what consumes an item: it is kept beyond the history. */
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
  bucket: number;
  lane: number;
  number: number;
  receivedAtMs: number;
};

/** `text` as history-lines.ts has it; the numbers say where its event is stored. */
export type Line = { bucket: number; lane: number; number: number; occurredAtMs: number; text: string };

/** Lines in the order of arrival; absent: none. */
export type GatheredHistory = {
  environment: string;
  kind: SubjectKind;
  id: string;
  entries?: Line[];
  impressions?: Line[];
  /** The last user seen with the device, and when. */
  linkedUser?: string;
  linkedAtMs?: number;
  /** The first user whom an event named that nobody vouches for. */
  claimedUser?: string;
};

/** A user or a device. */
export type SubjectKind = 'u' | 'd';

/** Of each subject. */
export type HistoryBatch = {
  find(environment: string, kind: SubjectKind, id: string): GatheredHistory | undefined;
  /** Empty at first. */
  of(environment: string, kind: SubjectKind, id: string): GatheredHistory;
  values(): Iterable<GatheredHistory>;
};

/** Where the histories of an event's user and device are gathered. */
export type HistoryPlaces = { user: HistoryBatch; device: HistoryBatch };

export function createHistoryBatch(): HistoryBatch {
  const histories: Grouped<SubjectKind, GatheredHistory> = createGrouped();
  return {
    find: histories.get,
    of(environment, kind, id) {
      let found = histories.get(environment, kind, id);
      if (!found) {
        found = emptyHistory(environment, kind, id);
        histories.set(environment, kind, id, found);
      }
      return found;
    },
    values: histories.values,
  };
}

/** All has its room from the beginning: what is added to an object later lies in another. */
function emptyHistory(environment: string, kind: SubjectKind, id: string): GatheredHistory {
  return {
    environment,
    kind,
    id,
    entries: undefined,
    impressions: undefined,
    linkedUser: undefined,
    linkedAtMs: undefined,
    claimedUser: undefined,
  };
}

/**
 * An event goes to its user, else to its device, which also learns who used it last; a robot's goes
 * nowhere. Of an event that nobody vouches for, only a device that is nobody's yet learns something. To be
 * called in the order of arrival.
 */
export function gatherHistory(places: HistoryPlaces, event: HistoryEvent): void {
  const { environment, userId, deviceId, robot, occurredAtMs, bucket, lane, number } = event;
  if (robot || (userId === undefined && deviceId === undefined)) return;
  const text = encodeLine(event);
  if (text !== undefined) {
    const history =
      userId !== undefined
        ? places.user.of(environment, 'u', userId)
        : places.device.of(environment, 'd', deviceId!);
    const line = { bucket, lane, number, occurredAtMs, text };
    if (isImpression(event.eventType)) history.impressions = withOne(history.impressions, line);
    else history.entries = withOne(history.entries, line);
  }
  if (userId === undefined || deviceId === undefined) return;
  const device = places.device.of(environment, 'd', deviceId);
  if (event.isPublic) {
    device.claimedUser ??= userId;
    return;
  }
  device.linkedUser = userId;
  device.linkedAtMs = event.receivedAtMs;
}

/** Most have one, and an empty list that something is pushed to makes room for seventeen. */
function withOne(lines: Line[] | undefined, line: Line): Line[] {
  if (!lines) return [line];
  lines.push(line);
  return lines;
}

/** One for each user and device. */
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

/** Of one moment the one that arrived last comes first. */
function newestFirst(lines: readonly Line[] = []): readonly Line[] {
  return lines.length < 2 ? lines : lines.toReversed().sort((a, b) => b.occurredAtMs - a.occurredAtMs);
}

function joinLines(lines: readonly Pick<Line, 'text'>[]): string | undefined {
  return lines.length === 0 ? undefined : lines.map(({ text }) => text).join('\n');
}

/** What was consumed beyond as many lines as a history holds, newest first, each event type and item once. */
function consumedBeyond(lines: readonly Line[], consuming: ConsumingKinds): Iterable<Line> {
  const found = new Map<string, Line>();
  for (const line of lines.slice(maxHistoryEntries)) {
    const what = line.text.slice(line.text.indexOf('\t') + 1);
    if (consuming.has(what.slice(0, what.lastIndexOf('\t'))) && !found.has(what)) found.set(what, line);
  }
  return found.values();
}
