/**
 * Exports and erases the personal data of a person: the rows of the tables that personal-tables.ts
 * describes, in statements of one bucket each, and the events.
 */

import { type RawBuilder, sql } from 'kysely';
import { parseSubject } from '../../ranking/subject.ts';
import { bucketCountOf, bucketOf, listBuckets } from '../buckets.ts';
import { type Database, executeRaw, queryRaw } from '../database.ts';
import { listEventRanges } from '../events/event-ranges.ts';
import { type FoundPerson, findPerson, type Person, type PersonName, subjectsOf } from './person.ts';
import { deleteEvents, listPersonEvents } from './person-events.ts';
import { type PersonalTable, personalTables, type Scope } from './personal-tables.ts';

/** `record` names the kind; the other fields are the stored data. */
export type PersonRecord = { record: string };

type PersonalTableName = PersonalTable['name'];

/** Numbers of rows by kind. */
export type Counts = Record<string, number>;

/**
 * Erases a person with their events. Repeating it after a failure completes it.
 * @param settled Resolves when every node has written the data it buffered before the deletion.
 * @returns The numbers of deleted rows by kind, without zeros.
 */
export async function erasePerson(
  db: Database,
  { person, own, ofDevices }: FoundPerson,
  settled: Promise<unknown> = Promise.resolve(),
): Promise<Counts> {
  const counts: Counts = {};
  for (const batch of ofDevices) addCounts(counts, await deleteEvents(db, person.environment, batch));
  await settled;
  for (const table of personalTables) addCounts(counts, { [table.name]: await eraseRows(db, person, table) });
  for (const batch of own) addCounts(counts, await deleteEvents(db, person.environment, batch));
  return counts;
}

export function addCounts(counts: Counts, added: Counts): void {
  for (const [name, count] of Object.entries(added))
    if (count > 0) counts[name] = (counts[name] ?? 0) + count;
}

/** Erases a person from one kind of data and returns the number of rows. */
export async function erasePersonalData(
  db: Database,
  person: Person,
  name: PersonalTableName,
): Promise<number> {
  let sum = 0;
  for (const table of personalTables) if (table.name === name) sum += await eraseRows(db, person, table);
  return sum;
}

/** An event may hold some kB, so fewer are read than deleted in one statement. */
const eventsPerPart = 1_000;

/** Exports a person in batches: histories first, events last. */
export async function* exportPerson(db: Database, name: PersonName): AsyncGenerator<PersonRecord[]> {
  const { person, own, ofDevices } = await findPerson(db, name, await listEventRanges(db));
  yield* exportPersonalData(db, person);
  for (const { numbers, ...place } of [...ofDevices, ...own])
    for (let start = 0; start < numbers.length; start += eventsPerPart) {
      const part = { ...place, numbers: numbers.slice(start, start + eventsPerPart) };
      const events = await listPersonEvents(db, person.environment, part, true);
      yield events.map(({ receivedAt, occurredAtMs, details, robot }) => ({
        record: 'event',
        received_at: receivedAt,
        time: new Date(occurredAtMs),
        ...(robot && { robot }),
        event: details,
      }));
    }
}

/** Exports a person's rows of all kinds, or of one, without events. */
export async function* exportPersonalData(
  db: Database,
  person: Person,
  name?: PersonalTableName,
): AsyncGenerator<PersonRecord[]> {
  for (const table of personalTables.toReversed())
    if (name === undefined || table.name === name) yield* exportRows(db, person, table);
}

async function eraseRows(db: Database, person: Person, table: PersonalTable): Promise<number> {
  const from = sql.table(table.table);
  let sum = 0;
  for (const scope of await scopesOf(db, person, table)) {
    const change = table.assign ? sql`update ${from} set ${table.assign(scope)}` : sql`delete from ${from}`;
    for await (const step of stepsOf(db, scope, table))
      sum += await executeRaw(db, sql`${change} where ${scope.place} and ${table.where(scope)} ${step}`);
  }
  return sum;
}

async function* exportRows(
  db: Database,
  person: Person,
  table: PersonalTable,
): AsyncGenerator<PersonRecord[]> {
  const { record, records, read = (row) => row } = table;
  if (record === undefined || records === undefined) return;
  for (const scope of await scopesOf(db, person, table))
    for await (const step of stepsOf(db, scope, table)) {
      const statement = sql`
        select record from ${sql.table(table.table)}, lateral (${records(scope)}) as records(record)
        where ${scope.place} and ${table.where(scope)} ${step}`;
      const rows = await queryRaw<{ record: unknown }>(db, statement);
      yield rows.map((row) => ({ record, ...read(row.record as Record<string, unknown>) }));
    }
}

/** Returns the buckets to look in, with the subjects to look for in each. */
async function scopesOf(db: Database, person: Person, { buckets, of }: PersonalTable): Promise<Scope[]> {
  const { environment } = person;
  const subjects = subjectsOf(person).filter((one) => of === undefined || parseSubject(one).kind === of);
  if (subjects.length === 0) return [];
  if (buckets === 'none') return [createScope(person, subjects)];
  const bucketCount = await bucketCountOf(db);
  if (buckets === 'environment') return [createScope(person, subjects, bucketOf(bucketCount, environment))];
  if (buckets === 'all')
    return (await listBuckets(db)).map((bucket) => createScope(person, subjects, bucket));
  const groups = Map.groupBy(subjects, (one) => bucketOf(bucketCount, environment, one));
  return Array.from(groups, ([bucket, ofBucket]) => createScope(person, ofBucket, bucket));
}

function createScope(
  { environment, hasWholeDevices }: Person,
  subjects: readonly string[],
  bucket?: number,
): Scope {
  const parsed = subjects.map(parseSubject);
  const idsOf = (kind: string) => parsed.filter((subject) => subject.kind === kind).map(({ id }) => id);
  const ofBucket = bucket === undefined ? sql`` : sql`bucket = ${bucket} and`;
  return {
    place: sql`${ofBucket} environment = ${environment}`,
    subjects,
    users: idsOf('user'),
    devices: idsOf('device'),
    hasWholeDevices,
  };
}

/** Yields conditions that divide a scanned table, so that no statement runs for long. */
async function* stepsOf(
  db: Database,
  { place }: Scope,
  { table, steps }: PersonalTable,
): AsyncGenerator<RawBuilder<unknown>> {
  if (steps === undefined) {
    yield sql``;
    return;
  }
  const key = sql.raw(steps.key);
  for (let after: readonly unknown[] | undefined = steps.first; after !== undefined; ) {
    const isAfter: RawBuilder<unknown> = sql`(${key}) > (${sql.join(after)})`;
    const end = sql`
      select json_build_array(${key}) as key from ${sql.table(table)} where ${place} and ${isAfter}
      order by ${key} offset ${steps.rows - 1} limit 1`;
    const [last] = await queryRaw<{ key: unknown[] }>(db, end);
    yield last ? sql`and ${isAfter} and (${key}) <= (${sql.join(last.key)})` : sql`and ${isAfter}`;
    after = last?.key;
  }
}
