/**
 * Aggregates impressions and clicks of search results into counts by query and item.
 *
 * Counts fade by half in 30 days. A visitor counts once per query and item while among the last 64
 * visitors, so repeated clicks do not move a ranking, and a row stays small.
 */
import { faded } from '../../../ranking/search/serving/click-worths.ts';
import { readFingerprint } from '../../../ranking/search/serving/query-fingerprint.ts';
import type { ClickKey, ClickRow, Folding, SearchEvent } from '../../../repository/search/search-clicks.ts';
import { visitorBytes, visitorMark } from '../../../repository/search/visitor-mark.ts';

const rememberedVisitors = 64;

export function createClickFolding(): Folding {
  return {
    keysOf: (events) => [...new Map(keyed(events).map(({ key, text }) => [text, key])).values()],
    fold(events, rows) {
      const byKey = new Map(rows.map((row) => [textOf(row), row]));
      for (const { event, key, text } of keyed(events)) {
        byKey.set(text, addEvent(byKey.get(text) ?? emptyRow(key, event), event));
      }
      return [...byKey.values()];
    },
  };
}

type KeyedEvent = { event: SearchEvent; key: ClickKey; text: string };

/** Returns the events of searches that this service answered. */
function keyed(events: readonly SearchEvent[]): KeyedEvent[] {
  return events.flatMap((event) => {
    const fingerprint = readFingerprint(event.requestId);
    if (fingerprint === undefined) return [];
    const { environment, itemType, itemId } = event;
    const key = { environment, fingerprint, itemType, itemId };
    return [{ event, key, text: textOf(key) }];
  });
}

function textOf({ environment, fingerprint, itemType, itemId }: ClickKey): string {
  return JSON.stringify([environment, fingerprint, itemType, itemId]);
}

function emptyRow(key: ClickKey, { occurredAtMs }: SearchEvent): ClickRow {
  const none = Buffer.alloc(0);
  return { ...key, clicks: 0, views: 0, countedAtMs: occurredAtMs, clickers: none, viewers: none };
}

function addEvent(row: ClickRow, { isClick, visitor, occurredAtMs }: SearchEvent): ClickRow {
  const before = isClick ? row.clickers : row.viewers;
  const mark = visitorMark(visitor);
  if (holds(before, mark)) return row;
  const visitors = Buffer.concat([before, mark]).subarray(-rememberedVisitors * visitorBytes);
  const countedAtMs = Math.max(row.countedAtMs, occurredAtMs);
  const clicks = faded(row.clicks, countedAtMs - row.countedAtMs);
  const views = faded(row.views, countedAtMs - row.countedAtMs);
  const one = faded(1, countedAtMs - occurredAtMs);
  return isClick
    ? { ...row, countedAtMs, views, clicks: clicks + one, clickers: visitors }
    : { ...row, countedAtMs, clicks, views: views + one, viewers: visitors };
}

function holds(visitors: Buffer, mark: Buffer): boolean {
  for (let at = 0; at < visitors.length; at += visitorBytes)
    if (visitors.readUInt32BE(at) === mark.readUInt32BE(0)) return true;
  return false;
}
