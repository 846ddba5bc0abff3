/** Whose rows: of a user with the devices that are theirs, or of one device. */

import pg from 'pg';

export type PersonKind = 'user' | 'device';

/** As a caller names somebody. */
export type PersonName = { environment: string; kind: PersonKind; id: string };

export type Person = {
  environment: string;
  userId?: string;
  /** Of a user: the devices on which they were seen last. */
  deviceIds: readonly string[];
  /** All that was done on the devices, whoever did it; else what no other user did. */
  hasWholeDevices: boolean;
};

/**
 * A condition on rows that name users and devices. Users are a list that may be empty, not a value that may be null: what is equal
 * to null depends on the session. Of a user's device, rows that name somebody else are theirs, not the user's.
 */
export function isTheirs(users: string, devices: string, isWhole: string): string {
  return `(user_id = any(${users}) or device_id = any(${devices}) and (${isWhole} or user_id is null))`;
}

/** For statements with `isTheirs`, in the order of its parameters. */
export function valuesOf({
  userId,
  deviceIds,
  hasWholeDevices,
}: Person): [users: readonly string[], devices: readonly string[], isWhole: boolean] {
  return [userId === undefined ? [] : [userId], deviceIds, hasWholeDevices];
}

/** The same for COPY, which takes no parameters. */
export function literalOf(person: Person): string {
  const [users, devices, isWhole] = valuesOf(person);
  return isTheirs(literalList(users), literalList(devices), String(isWhole));
}

function literalList(ids: readonly string[]): string {
  return `array[${ids.map((id) => pg.escapeLiteral(id)).join(',')}]::text[]`;
}

/** As histories and audiences call them: `u:USER`, `d:DEVICE`. */
export function subjectsOf({ userId, deviceIds }: Person): string[] {
  return [...(userId === undefined ? [] : [`u:${userId}`]), ...deviceIds.map((id) => `d:${id}`)];
}

/** One of them as a person by itself. */
export function personOfSubject(environment: string, subject: string): Person {
  const id = subject.slice(2);
  const named = subject.startsWith('u:') ? { userId: id, deviceIds: [] } : { deviceIds: [id] };
  return { environment, ...named, hasWholeDevices: false };
}
