/** A site's log as it is replayed: items in the order of their publication, events in the order of their time. */

import { readFileSync } from 'node:fs';

export type LoggedItem = {
  itemType: string;
  itemId: string;
  categories: readonly string[];
  /** Unix seconds; 0 for an item that was there from the beginning. */
  publishedAt: number;
  document: Record<string, unknown>;
};

export type LoggedEvent = {
  /** Unix seconds. */
  at: number;
  /** The user, or the device where the event has no user. */
  subject: string;
  itemId: string;
  eventType: string;
  pageType: string;
  document: Record<string, unknown>;
};

export type SiteLog = { items: readonly LoggedItem[]; events: readonly LoggedEvent[] };

/** Reads NDJSON in the format of the import command: `NAME-items.ndjson` and `NAME-events.ndjson` of a folder. */
export function readSiteLog(folder: string, name: string): SiteLog {
  const items = readLines(`${folder}/${name}-items.ndjson`).map(
    (document): LoggedItem => ({
      itemType: String(document.item_type),
      itemId: String(document.item_id),
      categories: (document.categories as string[] | undefined) ?? [],
      publishedAt: secondsOf(document.publication_datetime),
      document,
    }),
  );
  const events = readLines(`${folder}/${name}-events.ndjson`)
    .filter(({ action_item: itemId }) => itemId !== undefined)
    .map(
      (document): LoggedEvent => ({
        at: secondsOf(document.timestamp),
        subject: String(document.user_id ?? document.device_id),
        itemId: String(document.action_item),
        eventType: String(document.event_type),
        pageType: String(document.page_type ?? ''),
        document,
      }),
    );
  return { items, events: events.sort((a, b) => a.at - b.at) };
}

function readLines(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function secondsOf(value: unknown): number {
  if (typeof value === 'number') return value;
  const milliseconds = Date.parse(String(value));
  return Number.isNaN(milliseconds) ? 0 : milliseconds / 1000;
}
