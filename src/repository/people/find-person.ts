/**
 * Finds the person that a name means. A device belongs to a user while no other user was seen on it
 * later, which histories record. A device that an event from an untrusted sender claims for a user
 * is not the user's.
 */

import { parseSubject } from '../../ranking/subject.ts';
import { listBuckets } from '../buckets.ts';
import type { Database } from '../database.ts';
import type { FeedRange } from '../feeds.ts';
import type { Person, PersonName } from './person.ts';
import { type EventBatch, locateEvents } from './person-events.ts';

export type FoundPerson = {
  person: Person;
  /** Events of the user or the device. */
  own: EventBatch[];
  /** Events on the user's devices that name no user. */
  ofDevices: EventBatch[];
};

/**
 * @param ranges The part of the event log that is searched.
 * @param hasWholeDevice For a device: includes what its users did on it [true].
 */
export async function findPerson(
  db: Database,
  { environment, kind, id }: PersonName,
  ranges: readonly FeedRange[],
  hasWholeDevice = true,
): Promise<FoundPerson> {
  if (kind === 'device') {
    const person: Person = { environment, deviceIds: [id], hasWholeDevices: hasWholeDevice };
    return { person, own: await locateEvents(db, person, ranges), ofDevices: [] };
  }
  const user: Person = { environment, userId: id, deviceIds: [], hasWholeDevices: false };
  const devices = { ...user, userId: undefined, deviceIds: await listLinkedDevices(db, environment, id) };
  return {
    person: { ...devices, userId: id },
    own: await locateEvents(db, user, ranges),
    ofDevices: await locateEvents(db, devices, ranges),
  };
}

async function listLinkedDevices(db: Database, environment: string, userId: string): Promise<string[]> {
  const found: string[] = [];
  for (const bucket of await listBuckets(db)) {
    const rows = await db.kysely
      .selectFrom('histories')
      .select('subject')
      .where('bucket', '=', bucket)
      .where('environment', '=', environment)
      .where('linked_user', '=', userId)
      .where('linked_at', 'is not', null)
      .execute();
    for (const { subject } of rows) found.push(parseSubject(subject).id);
  }
  return found;
}
