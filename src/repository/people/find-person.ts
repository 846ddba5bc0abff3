/** Whom a name means: a user's devices are found by the user's events, and are theirs while nobody else was seen on them later. */

import { bucketCountOf, groupByBucket } from '../buckets.ts';
import type { Database } from '../database.ts';
import { bucketOfSubject } from '../events/bucket-facts.ts';
import type { FeedRange } from '../feeds.ts';
import type { Person, PersonName } from './person.ts';
import { type LocatedEvents, listLinkedDevices, locateEvents } from './person-events.ts';

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
    return { person, own, ofDevices: { batches: [], count: 0, deviceIds: new Set() } };
  }
  const user: Person = { environment, userId: id, deviceIds: [], hasWholeDevices: false };
  const own = await locateEvents(db, user, ranges);
  const person = { ...user, deviceIds: await findDevices(db, user, own.deviceIds) };
  const { userId: _, ...devices } = person;
  return { person, own, ofDevices: await locateEvents(db, devices, ranges) };
}

async function findDevices(db: Database, user: Person, candidates: ReadonlySet<string>): Promise<string[]> {
  const bucketCount = await bucketCountOf(db);
  const subjects = Array.from(candidates, (id) => `d:${id}`);
  const groups = groupByBucket(subjects, (subject) =>
    bucketOfSubject(bucketCount, user.environment, subject),
  );
  const found: string[] = [];
  for (const [bucket, group] of groups) found.push(...(await listLinkedDevices(db, bucket, user, group)));
  return found;
}
