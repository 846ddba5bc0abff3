/**
 * Whom a name means: a user's devices are theirs while nobody else was seen on them later, which histories say. A device that is
 * only claimed to be theirs, by an event that anybody may have sent, is not.
 */

import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { FeedRange } from '../feeds.ts';
import type { Person, PersonName } from './person.ts';
import { type LocatedEvents, locateEvents } from './person-events.ts';

export type FoundPerson = {
  person: Person;
  /** What the user did, or what was done on the device. */
  own: LocatedEvents;
  /** What nobody in particular did on the user's devices. */
  ofDevices: LocatedEvents;
};

/**
 * @param ranges Of the events, where they are looked for.
 * @param hasWholeDevice Of a device: what its users did on it too [true].
 */
export async function findPerson(
  db: Database,
  { environment, kind, id }: PersonName,
  ranges: readonly FeedRange[],
  hasWholeDevice = true,
): Promise<FoundPerson> {
  if (kind === 'device') {
    const person: Person = { environment, deviceIds: [id], hasWholeDevices: hasWholeDevice };
    const own = await locateEvents(db, person, ranges);
    return { person, own, ofDevices: { batches: [], count: 0 } };
  }
  const user: Person = { environment, userId: id, deviceIds: [], hasWholeDevices: false };
  const person = { ...user, deviceIds: await listLinkedDevices(db, user) };
  const { userId: _, ...devices } = person;
  return {
    person,
    own: await locateEvents(db, user, ranges),
    ofDevices: await locateEvents(db, devices, ranges),
  };
}

const linkedStatement = `
select substr(subject, 3) as "deviceId" from histories
where bucket = $1 and environment = $2 and linked_user = $3 and linked_at is not null`;

async function listLinkedDevices(db: Database, { environment, userId }: Person): Promise<string[]> {
  const found: string[] = [];
  for (const bucket of await listBuckets(db)) {
    const statement = { name: '', text: linkedStatement, values: [bucket, environment, userId] };
    const rows = await query<{ deviceId: string }>(db, statement, { deviceId: 'text' });
    for (const { deviceId } of rows) found.push(deviceId);
  }
  return found;
}

const claimsText = `
with freed as (
  update histories set linked_user = null
  where bucket = $1 and environment = $2 and linked_user = $3 and linked_at is null
  returning 1
)
select count(*) from freed`;

/** Devices that are only claimed to be a user's keep what they hold, and name the user no more. Returns how many. */
export async function deleteClaims(db: Database, { environment, userId }: Person): Promise<number> {
  if (userId === undefined) return 0;
  let sum = 0;
  for (const bucket of await listBuckets(db)) {
    const statement = { name: '', text: claimsText, values: [bucket, environment, userId] };
    const [{ count }] = await query<{ count: number }>(db, statement, { count: 'int8' });
    sum += count;
  }
  return sum;
}
