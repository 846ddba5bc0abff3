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
