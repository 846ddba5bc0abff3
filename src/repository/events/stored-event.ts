/** Defines stored events: events with their place in the log. */

import type { EventRow } from '../event-row.ts';
import type { Shape } from '../row-shape.ts';

export type StoredEvent = EventRow & {
  /** Place in the log; `number` counts within bucket and lane, from 1. */
  bucket: number;
  lane: number;
  number: number;
  /** Arrival by the database clock, in ms since the epoch; never decreases within a lane. */
  receivedAtMs: number;
};

/** Columns that every reader selects; event IDs are read on demand. */
export const eventShape: Shape<Omit<StoredEvent, 'eventId'>> = {
  bucket: 'int4',
  environment: 'text',
  lane: 'int4',
  number: 'int8',
  eventType: 'text',
  deviceId: 'text?',
  userId: 'text?',
  itemType: 'text?',
  itemId: 'text?',
  itemGroup: 'text?',
  requestId: 'text?',
  listName: 'text?',
  pageType: 'text?',
  channel: 'text?',
  userGroup: 'text?',
  version: 'text?',
  robot: 'bool',
  isPublic: 'bool?',
  details: 'json?',
  occurredAtMs: 'float8',
  receivedAtMs: 'float8',
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
