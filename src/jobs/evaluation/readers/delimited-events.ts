/** Reads events from a table with named columns; delimited by tabs, commas, semicolons or bars. */

import type { InteractionEvent } from '../../../ranking/models/interactions.ts';
import { readRecords, splitFields } from './lines.ts';

/** Column names. */
export type EventColumns = {
  subject: string;
  item: string;
  /** Unix seconds or milliseconds, or ISO 8601; without it, events have no order. */
  time?: string;
  eventType?: string;
};

export const knownColumns = {
  /** MovieLens `ratings.csv`; the rating becomes the event type, so weights can differ. */
  movielens: { subject: 'userId', item: 'movieId', time: 'timestamp', eventType: 'rating' },
  /** Session data of the Serenade and session-rec projects. */
  sessions: { subject: 'SessionId', item: 'ItemId', time: 'Time' },
} as const satisfies Record<string, EventColumns>;

/** Event type if no column declares one. */
export const untypedEvent = 'detail_pageview';

export async function* readDelimitedEvents(
  path: string,
  columns: EventColumns,
): AsyncGenerator<InteractionEvent> {
  let read: ((line: string) => InteractionEvent) | undefined;
  yield* readRecords(path, (line) => {
    if (read !== undefined) return read(line);
    read = readerFor(line, columns);
    return undefined;
  });
}

/** @param heading The first line, which also determines the delimiter. */
function readerFor(heading: string, columns: EventColumns): (line: string) => InteractionEvent {
  const delimiter = delimiterOf(heading);
  const names = splitFields(heading, delimiter).map((name) => name.trim());
  const placeOf = (name: string | undefined): number => {
    if (name === undefined) return -1;
    const place = names.indexOf(name);
    if (place < 0) throw new Error(`there is no column ${name}; the columns are ${names.join(', ')}.`);
    return place;
  };
  const subject = placeOf(columns.subject);
  const item = placeOf(columns.item);
  const time = placeOf(columns.time);
  const eventType = placeOf(columns.eventType);
  return (line) => {
    const fields = splitFields(line, delimiter);
    const fieldAt = (place: number): string => {
      const field = fields[place] ?? '';
      if (field === '') throw new Error(`${names[place]} is missing.`);
      return field;
    };
    return {
      subjectKey: fieldAt(subject),
      itemId: fieldAt(item),
      timeSeconds: time < 0 ? 0 : parseSeconds(fieldAt(time)),
      eventType: eventType < 0 ? untypedEvent : fieldAt(eventType),
    };
  };
}

/** Returns the delimiter most frequent in the heading. */
function delimiterOf(heading: string): string {
  const countOf = (delimiter: string) => heading.split(delimiter).length;
  return ['\t', ',', ';', '|'].reduce((best, one) => (countOf(one) > countOf(best) ? one : best));
}

/** Numbers from here on are milliseconds: as seconds they would be in the year 5138. */
const firstMilliseconds = 1e11;

export function parseSeconds(text: string): number {
  const number = Number(text);
  if (text !== '' && !Number.isNaN(number)) return number >= firstMilliseconds ? number / 1000 : number;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw new Error(`${JSON.stringify(text)} is not a time.`);
  return moment / 1000;
}
