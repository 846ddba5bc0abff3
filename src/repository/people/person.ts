/** A user with the devices linked to them, or one device: the scope of an export or a deletion. */

import { formatSubject, parseSubject, type Subject } from '../../ranking/subject.ts';

/** The subject that a caller names. */
export type PersonName = Subject & { environment: string };

export type Person = {
  environment: string;
  userId?: string;
  /** For a user: the devices on which they were seen last. */
  deviceIds: readonly string[];
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
