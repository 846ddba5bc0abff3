/** Defines stored events: events with their place in the log. */

import type { EventRow } from '../event-row.ts';

export type StoredEvent = EventRow & {
  /** Place in the log; `number` counts within bucket and lane, from 1. */
  bucket: number;
  lane: number;
  number: number;
  /** Arrival by the database clock, in ms since the epoch; never decreases within a lane. */
  receivedAtMs: number;
};

/** Events of one lane stored by one statement, numbered consecutively. */
export type StoredGroup = {
  bucket: number;
  lane: number;
  firstNumber: number;
  receivedAtMs: number;
  events: readonly EventRow[];
};

export function eventsOf({ bucket, lane, firstNumber, receivedAtMs, events }: StoredGroup): StoredEvent[] {
  return events.map((event, place) => ({
    ...event,
    bucket,
    lane,
    number: firstNumber + place,
    receivedAtMs,
  }));
}

/** The columns that readers of whole events select, besides `details`. */
export const storedColumns = `
  environment, bucket, lane, number, event_type as "eventType", device_id as "deviceId", user_id as "userId",
  item_type as "itemType", item_id as "itemId", item_group as "itemGroup", request_id as "requestId",
  list_name as "listName", page_type as "pageType", channel, user_group as "userGroup", version, robot,
  is_public as "isPublic", (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs",
  (extract(epoch from received_at) * 1000)::float8 as "receivedAtMs"`;
