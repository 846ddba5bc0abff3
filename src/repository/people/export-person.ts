/** Exports the personal data of a person record by record. */

import type { Database } from '../database.ts';
import { listEventRanges } from '../events/event-ranges.ts';
import { findPerson } from './find-person.ts';
import type { PersonName } from './person.ts';
import { type EventBatch, listPersonEvents } from './person-events.ts';
import { exportRows, type PersonRecord } from './personal-rows.ts';
import { personalTables } from './personal-tables.ts';

/** Yields histories first and events last, in batches; nothing at all when nothing is stored. */
export async function* exportPerson(db: Database, name: PersonName): AsyncGenerator<PersonRecord[]> {
  const { person, own, ofDevices } = await findPerson(db, name, await listEventRanges(db));
  for (const table of personalTables.toReversed()) yield* exportRows(db, person, table);
  for (const batch of [...ofDevices, ...own])
    for (const part of partsOf(batch)) yield await exportEvents(db, person.environment, part);
}

async function exportEvents(db: Database, environment: string, part: EventBatch): Promise<PersonRecord[]> {
  const events = await listPersonEvents(db, environment, part, true);
  return events.map(({ receivedAt, occurredAtMs, details, robot }) => ({
    record: 'event',
    received_at: receivedAt,
    time: new Date(occurredAtMs),
    ...(robot && { robot }),
    event: details,
  }));
}

/** An event may hold some kB, so fewer are read than deleted in one statement. */
const eventsPerPart = 1_000;

function* partsOf({ numbers, ...place }: EventBatch): Generator<EventBatch> {
  for (let start = 0; start < numbers.length; start += eventsPerPart)
    yield { ...place, numbers: numbers.slice(start, start + eventsPerPart) };
}
