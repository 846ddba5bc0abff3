/**
 * Finds the person that a name means. A device belongs to a user while no other user was seen on it
 * later, which histories record. A device that an event from an untrusted sender claims for a user
 * is not the user's.
 */

import { formatSubject, parseSubject } from '../../ranking/subject.ts';
import { bucketCountOf, listBuckets } from '../buckets.ts';
import type { Database } from '../database.ts';
import { bucketOfSubject } from '../events/bucket-facts.ts';
import type { FeedRange } from '../feeds.ts';
import type { Person, PersonName, Tenure } from './person.ts';
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
  const linked = await listLinkedDevices(db, environment, id);
  const deviceIds = linked.map(({ deviceId }) => deviceId);
  const whole = linked.filter(({ afterUs }) => afterUs === 0).map(({ deviceId }) => deviceId);
  const tenures = [
    ...linked.filter(({ afterUs }) => afterUs > 0),
    ...(await listPastDevices(db, environment, id)),
  ];
  const devices = { ...user, userId: undefined, deviceIds: whole, tenures };
  return {
    person: { ...user, deviceIds },
    own: await locateEvents(db, user, ranges),
    ofDevices: await locateEvents(db, devices, ranges),
  };
}

/** After every arrival, in microseconds since 1970. */
const lastUs = 9e15;

async function listLinkedDevices(db: Database, environment: string, userId: string): Promise<Tenure[]> {
  const found: Tenure[] = [];
  for (const bucket of await listBuckets(db)) {
    const rows = await db.kysely
      .selectFrom('histories')
      .select(['subject', 'freed_at'])
      .where('bucket', '=', bucket)
      .where('environment', '=', environment)
      .where('linked_user', '=', userId)
      .where('linked_at', 'is not', null)
      .$narrowType<{ freed_at: number | null }>()
      .execute();
    for (const { subject, freed_at } of rows)
      found.push({ deviceId: parseSubject(subject).id, afterUs: freed_at ?? 0, untilUs: lastUs });
  }
  return found;
}

/** Lists devices that the user has signed out of, or that other users took over. */
async function listPastDevices(db: Database, environment: string, userId: string): Promise<Tenure[]> {
  const subject = formatSubject({ kind: 'user', id: userId });
  const row = await db.kysely
    .selectFrom('histories')
    .select('past_devices')
    .where('bucket', '=', bucketOfSubject(await bucketCountOf(db), environment, subject))
    .where('environment', '=', environment)
    .where('subject', '=', subject)
    .executeTakeFirst();
  const devices = (row?.past_devices ?? []) as [string, number, number][];
  return devices.map(([deviceId, afterUs, untilUs]) => ({ deviceId, afterUs, untilUs }));
}
