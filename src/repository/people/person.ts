/** A user with the devices linked to them, or one device: the scope of an export or a deletion. */

import { formatSubject, parseSubject, type Subject } from '../../ranking/subject.ts';

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
