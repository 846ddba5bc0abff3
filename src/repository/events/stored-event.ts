/** An event with its place in the log. */

import type { EventRow } from '../event-row.ts';

export type StoredEvent = EventRow & {
  /** Where it is stored; its number counts within bucket and lane, from 1. */
  bucket: number;
  lane: number;
  number: number;
  /** By the database's clock; never earlier than those before it in the lane. */
  receivedAtMs: number;
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
