/**
 * The lines of a history: `unixSeconds TAB eventType TAB itemType TAB itemId`; backslash, tab and newline inside a part are escaped.
 *
 * They are appended in the order of arrival and sorted by time when they are read.
 */

/** Kept per user or device; older ones fall off. */
export const maxHistoryEntries = 300;

export type HistoryEntry = { eventType: string; itemType: string; itemId: string; occurredAtSeconds: number };

export type EntryParts = { occurredAtMs: number; eventType: string; itemType?: string; itemId?: string };

/** Undefined for an event without an item, which is no part of a history. */
export function encodeLine({ occurredAtMs, eventType, itemType, itemId }: EntryParts): string | undefined {
  if (itemId === undefined || itemType === undefined) return undefined;
  const seconds = Math.floor(occurredAtMs / 1_000);
  return `${seconds}\t${escapePart(eventType)}\t${escapePart(itemType)}\t${escapePart(itemId)}`;
}

/** The newest first, and no more than are kept. */
export function readLines(text: string | null): HistoryEntry[] {
  if (!text) return [];
  const lines = text.split('\n').filter((line) => line !== '');
  const entries = lines.map(readLine);
  if (entries.length > maxHistoryEntries) entries.sort((a, b) => b.occurredAtSeconds - a.occurredAtSeconds);
  return entries.slice(0, maxHistoryEntries);
}

export function readLine(text: string): HistoryEntry {
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
