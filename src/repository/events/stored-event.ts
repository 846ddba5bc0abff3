/** An event with its place in the log. */

import type { EventRow } from '../event-row.ts';
import type { Shape } from '../row-shape.ts';

export type StoredEvent = EventRow & {
  /** Where it is stored; its number counts within bucket and lane, from 1. */
  bucket: number;
  lane: number;
  number: number;
  /** By the database's clock; never earlier than those before it in the lane. */
  receivedAtMs: number;
};

/** What reads events reads of each; ids are for who asks for them. */
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

/** Events of one lane that one statement stored, by number. */
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
