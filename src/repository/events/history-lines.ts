/**
 * Encodes history lines: `unixSeconds TAB eventType TAB itemType TAB itemId`. The event type may have
 * a qualifier (`checkpoint:37`, see events/meaning.ts). Backslash, tab and newline in a part are
 * escaped. Lines are appended in order of arrival and sorted when read.
 */

import type { HistoryEntry } from '../../ranking/history.ts';
import { createSharedReadings } from './shared-readings.ts';

/** Maximum entries per user or device; older ones are dropped. */
export const maxHistoryEntries = 300;

export type EntryParts = { occurredAtMs: number; eventType: string; itemType?: string; itemId?: string };

/** Encodes an event; returns undefined if it has no item, as histories only hold items. */
export function encodeLine(
  { occurredAtMs, eventType, itemType, itemId }: EntryParts,
  qualifier?: string,
): string | undefined {
  if (itemId === undefined || itemType === undefined) return undefined;
  const seconds = Math.floor(occurredAtMs / 1_000);
  const kind = qualifier === undefined ? eventType : `${eventType}:${qualifier}`;
  /** `join` yields a flat string; a template keeps a tree of its parts until first read. */
  return [seconds, escapePart(kind), escapePart(itemType), escapePart(itemId)].join('\t');
}

/** Returns up to `maxHistoryEntries`, newest first, and temporarily stored lines beyond them. */
export function readLines(text: string | null): { kept: HistoryEntry[]; beyond: HistoryEntry[] } {
  const entries = readAllLines(text);
  if (entries.length <= maxHistoryEntries) return { kept: entries, beyond: [] };
  entries.sort((a, b) => b.occurredAtSeconds - a.occurredAtSeconds);
  return { kept: entries.slice(0, maxHistoryEntries), beyond: entries.slice(maxHistoryEntries) };
}

/** Returns all entries in stored order. */
export function readAllLines(text: string | null): HistoryEntry[] {
  if (!text) return [];
  const entries: HistoryEntry[] = [];
  for (let start = 0, end: number; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    if (end > start) entries.push(readEntry(text, start, end));
  }
  return entries;
}

export function readLine(text: string): HistoryEntry {
  return readEntry(text, 0, text.length);
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** Declares `place` up front: V8 stores properties added later out of line. */
function readEntry(text: string, start: number, end: number): HistoryEntry {
  const kindStart = text.indexOf('\t', start) + 1;
  const idStart = text.indexOf('\t', text.indexOf('\t', kindStart) + 1) + 1;
  const { eventType, qualifier, itemType } = kindOf(text.slice(kindStart, idStart - 1));
  return {
    eventType,
    qualifier,
    itemType,
    itemId: idOf(text.slice(idStart, end)),
    occurredAtSeconds: Number(text.slice(start, kindStart - 1)),
    place: undefined,
  };
}

/** Fits some thousand pairs of event type and item type, and some 50,000 typical IDs. */
const mostKindBytes = 256 * 1024;
const mostIdBytes = 12 * 1024 * 1024;

const kindOf = createSharedReadings(mostKindBytes, (text) => {
  const [kind, itemType] = text.split('\t').map(unescapePart);
  const [eventType, qualifier] = kind.split(':');
  return { eventType, qualifier, itemType };
});

const idOf = createSharedReadings(mostIdBytes, unescapePart);

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' };
const characters: Record<string, string> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n' };

function escapePart(part: string): string {
  return /[\\\t\n]/.test(part) ? part.replaceAll(/[\\\t\n]/g, (character) => escapes[character]) : part;
}

function unescapePart(part: string): string {
  return part.includes('\\') ? part.replaceAll(/\\[\\tn]/g, (sequence) => characters[sequence]) : part;
}
