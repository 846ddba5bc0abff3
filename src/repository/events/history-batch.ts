/** What several events add to the histories of their users and devices. */
import { encodeLine, maxHistoryEntries } from './history-lines.ts';

/** What a fold adds to one history; names are columns. */
export type HistoryAddition = {
  environment: string;
  /** `u:USER` or `d:DEVICE`. */
  subject: string;
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
};

/** `text` as history-lines.ts has it. */
export type Line = { sequence: number; occurredAtMs: number; text: string };

/** Lines in the order of arrival. */
export type GatheredHistory = {
  environment: string;
  subject: string;
  entries: Line[];
  impressions: Line[];
  /** The last user seen with the device, and by which event. */
  linkedUser?: string;
  linkedSequence: number;
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
 * An event goes to its user, else to its device, which also learns who used it last; a robot's goes nowhere. To be called in the order
 * of arrival.
 */
export function gatherHistory(batch: HistoryBatch, event: HistoryEvent, sequence: number): void {
  const { environment, userId, deviceId, robot } = event;
  if (robot || (userId === undefined && deviceId === undefined)) return;
  const text = encodeLine(event);
  if (text !== undefined) {
    const history = historyOf(batch, environment, userId !== undefined ? `u:${userId}` : `d:${deviceId}`);
    const lines = impressionTypes.has(event.eventType) ? history.impressions : history.entries;
    lines.push({ sequence, occurredAtMs: event.occurredAtMs, text });
  }
  if (userId === undefined || deviceId === undefined) return;
  const device = historyOf(batch, environment, `d:${deviceId}`);
  device.linkedUser = userId;
  device.linkedSequence = sequence;
}

function historyOf(batch: HistoryBatch, environment: string, subject: string): GatheredHistory {
  const place = placeOf(environment, subject);
  let found = batch.get(place);
  if (!found) {
    found = { environment, subject, entries: [], impressions: [], linkedSequence: 0 };
    batch.set(place, found);
  }
  return found;
}

/** One for each user and device. */
export function listAdditions(batch: HistoryBatch): HistoryAddition[] {
  return Array.from(batch.values(), ({ environment, subject, linkedUser, entries, impressions }) => ({
    environment,
    subject,
    linked_user: linkedUser,
    entries: joinNewest(entries),
    impressions: joinNewest(impressions),
  }));
}

/** Of one moment the one that arrived last comes first. */
function joinNewest(lines: readonly Line[]): string | undefined {
  if (lines.length === 0) return undefined;
  const newest = lines.toReversed().sort((a, b) => b.occurredAtMs - a.occurredAtMs);
  return newest
    .slice(0, maxHistoryEntries)
    .map(({ text }) => text)
    .join('\n');
}
