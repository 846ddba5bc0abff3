/** All that is stored about a person, record by record. */

import type { Database } from '../database.ts';
import { listEventRanges } from '../events/event-ranges.ts';
import { listBatched } from './batch-traces.ts';
import { type FoundPerson, findPerson } from './find-person.ts';
import { listLists, listMemberships, listRecorded } from './kept-traces.ts';
import { keyedTraces, listKeyedTrace } from './keyed-traces.ts';
import { listClicks, listPurchases } from './moment-traces.ts';
import type { PersonName } from './person.ts';
import { type EventBatch, listPersonEvents } from './person-events.ts';
import { listTyped } from './typed-traces.ts';

/** `record` names the kind; the rest is what is stored. */
export type PersonRecord = { record: string };

/** Histories come first and events last, in batches; nothing at all when nothing is stored. */
export async function* exportPerson(db: Database, name: PersonName): AsyncGenerator<PersonRecord[]> {
  const found = await findPerson(db, name, await listEventRanges(db));
  const { person } = found;
  for (const trace of keyedTraces) yield named(trace.name, await listKeyedTrace(db, person, trace));
  for await (const lists of listLists(db, person)) yield named('lists', lists);
  yield named('typed_queries', await listTyped(db, person));
  yield named('recorded_requests', await listRecorded(db, person));
  yield named('audience_members', await listMemberships(db, person));
  for await (const results of listBatched(db, person)) yield named('batch_results', results);
  yield named('clicks', await listClicks(db, person));
  yield named('purchases', await listPurchases(db, person));
  for (const located of [found.ofDevices, found.own])
    for (const batch of located.batches) yield* exportEvents(db, found, batch);
}

async function* exportEvents(
  db: Database,
  { person }: FoundPerson,
  batch: EventBatch,
): AsyncGenerator<PersonRecord[]> {
  for (const part of partsOf(batch)) {
    const events = await listPersonEvents(db, person.environment, part, true);
    yield named(
      'events',
      events.map(({ receivedAt, occurredAtMs, details, robot }) => ({
        received_at: receivedAt,
        time: new Date(occurredAtMs),
        ...(robot && { robot }),
        event: details,
      })),
    );
  }
}

/** An event may hold some kB, so fewer are read at once than are deleted. */
const eventsPerPart = 1_000;

function* partsOf({ numbers, ...place }: EventBatch): Generator<EventBatch> {
  for (let start = 0; start < numbers.length; start += eventsPerPart)
    yield { ...place, numbers: numbers.slice(start, start + eventsPerPart) };
}

const recordNames: Record<string, string> = {
  events: 'event',
  clicks: 'click',
  purchases: 'purchase',
  histories: 'history',
  lists: 'list',
  recorded_requests: 'recorded_request',
  audience_members: 'audience_member',
  batch_results: 'batch_result',
  user_hours: 'user_hour',
  device_hours: 'device_hour',
  experiment_days: 'experiment_day',
  typed_queries: 'typed_queries',
};

function named(kind: string, records: readonly object[]): PersonRecord[] {
  return records.map((record) => ({ record: recordNames[kind], ...record }));
}
