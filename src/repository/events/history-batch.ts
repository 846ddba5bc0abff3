/** What several events add to the histories of their users and devices. */
import { encodeLine, maxHistoryEntries } from './history-lines.ts';

/** What a fold adds to one history; names are columns. */
export type HistoryAddition = {
  environment: string;
  /** `u:USER` or `d:DEVICE`. */
  subject: string;
  /** When the user was seen with the device: arrival, milliseconds since the epoch. */
  linked_at?: number;
  linked_user?: string;
  /** Newest first. */
  entries?: string;
  impressions?: string;
};

export type HistoryEvent = {
  environment: string;
  occurredAtMs: number;
  eventType: string;
  itemType?: string;
  itemId?: string;
  userId?: string;
  deviceId?: string;
  robot: boolean;
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
  subject: string;
  entries?: Line[];
  impressions?: Line[];
  /** The last user seen with the device, and when. */
  linkedUser?: string;
  linkedAtMs?: number;
};

/** By `placeOf` each. */
export type HistoryBatch = Map<string, GatheredHistory>;

/** What somebody was shown; every other event is something they did. */
const impressionTypes = new Set([
  'impression',
  'search_impression',
  'batch_impression',
  'session_impression',
]);

export function placeOf(environment: string, subject: string): string {
  return `${environment}\0${subject}`;
}

/**
 * An event goes to its user, else to its device, which also learns who used it last; a robot's goes
 * nowhere. To be called in the order of arrival.
 * @param batchOf Where the history of a subject is gathered.
 */
export function gatherHistory(batchOf: (subject: string) => HistoryBatch, event: HistoryEvent): void {
  const { environment, userId, deviceId, robot, occurredAtMs, bucket, lane, number } = event;
  if (robot || (userId === undefined && deviceId === undefined)) return;
  const text = encodeLine(event);
  if (text !== undefined) {
    const subject = userId !== undefined ? `u:${userId}` : `d:${deviceId}`;
    const history = historyOf(batchOf(subject), environment, subject);
    const line = { bucket, lane, number, occurredAtMs, text };
    if (impressionTypes.has(event.eventType)) history.impressions = withOne(history.impressions, line);
    else history.entries = withOne(history.entries, line);
  }
  if (userId === undefined || deviceId === undefined) return;
  const subject = `d:${deviceId}`;
  const device = historyOf(batchOf(subject), environment, subject);
  device.linkedUser = userId;
  device.linkedAtMs = event.receivedAtMs;
}

/** All has its room from the beginning: what is added to an object later lies in another. */
function historyOf(batch: HistoryBatch, environment: string, subject: string): GatheredHistory {
  const place = placeOf(environment, subject);
  let found = batch.get(place);
  if (!found) {
    found = {
      environment,
      subject,
      entries: undefined,
      impressions: undefined,
      linkedUser: undefined,
      linkedAtMs: undefined,
    };
    batch.set(place, found);
  }
  return found;
}

/** Most have one, and an empty list that something is pushed to makes room for seventeen. */
function withOne(lines: Line[] | undefined, line: Line): Line[] {
  if (!lines) return [line];
  lines.push(line);
  return lines;
}

/** One for each user and device. */
export function listAdditions(batch: HistoryBatch): HistoryAddition[] {
  return Array.from(batch.values(), ({ environment, subject, ...gathered }) => ({
    environment,
    subject,
    linked_at: gathered.linkedAtMs === undefined ? undefined : Math.floor(gathered.linkedAtMs),
    linked_user: gathered.linkedUser,
    entries: joinNewest(gathered.entries),
    impressions: joinNewest(gathered.impressions),
  }));
}

/** Of one moment the one that arrived last comes first. */
function joinNewest(lines: readonly Line[] | undefined): string | undefined {
  if (!lines) return undefined;
  const newest = lines.toReversed().sort((a, b) => b.occurredAtMs - a.occurredAtMs);
  return newest
    .slice(0, maxHistoryEntries)
    .map(({ text }) => text)
    .join('\n');
}
