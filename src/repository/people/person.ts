/**
 * A user with the devices linked to them, or one device: the scope of an export or a deletion.
 *
 * A device belongs to a user while no other user was seen on it later, which histories record. A
 * device that an event from an untrusted sender claims for a user is not the user's.
 */

import { formatSubject, parseSubject, type Subject } from '../../ranking/subject.ts';
import { findBucket, listBuckets } from '../buckets.ts';
import type { Database } from '../database.ts';
import type { FeedRange } from '../feeds.ts';
import { type EventBatch, locateEvents } from './person-events.ts';

/** The subject that a caller names. */
export type PersonName = Subject & { environment: string };

/** A device and the arrivals of events, in microseconds since 1970, while it was a user's. */
export type Tenure = { deviceId: string; afterUs: number; untilUs: number };

export type Person = {
  environment: string;
  userId?: string;
  /** For a user: the devices on which they were seen last. */
  deviceIds: readonly string[];
  /** Devices that were the user's for a time: events of it without a user are the user's. */
  tenures?: readonly Tenure[];
  /** Whether rows of the devices that name a user belong to the person, too. */
  hasWholeDevices: boolean;
};

/** Returns the user and the devices as histories and audiences name them: `u:USER`, `d:DEVICE`. */
export function subjectsOf({ userId, deviceIds }: Person): string[] {
  const devices = deviceIds.map((id) => formatSubject({ kind: 'device', id }));
  return userId === undefined ? devices : [formatSubject({ kind: 'user', id: userId }), ...devices];
}

/** Returns a subject without its links as a person. */
export function personOfSubject(environment: string, subject: string): Person {
  const { kind, id } = parseSubject(subject);
  const named = kind === 'user' ? { userId: id, deviceIds: [] } : { deviceIds: [id] };
  return { environment, ...named, hasWholeDevices: false };
}

export type FoundPerson = {
  person: Person;
  /** Events of the user or the device. */
  own: EventBatch[];
  /** Events on the user's devices that name no user. */
  ofDevices: EventBatch[];
};

/** @param hasWholeDevice For a device: includes what its users did on it [true]. */
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
    .where('bucket', '=', await findBucket(db, environment, subject))
    .where('environment', '=', environment)
    .where('subject', '=', subject)
    .executeTakeFirst();
  const devices = (row?.past_devices ?? []) as [string, number, number][];
  return devices.map(([deviceId, afterUs, untilUs]) => ({ deviceId, afterUs, untilUs }));
}
