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

/** Of a user's device, rows that name somebody else are theirs, not the user's. */
export function isTheirs(user: string, devices: string, isWhole: string): string {
  return `(user_id = ${user} or device_id = any(${devices}) and (${isWhole} or user_id is null))`;
}

/** For statements with `isTheirs`, in the order of its parameters. */
export function valuesOf({
  userId,
  deviceIds,
  hasWholeDevices,
}: Person): [string | null, readonly string[], boolean] {
  return [userId ?? null, deviceIds, hasWholeDevices];
}

/** The same for COPY, which takes no parameters. */
export function literalOf({ userId, deviceIds, hasWholeDevices }: Person): string {
  const user = userId === undefined ? 'null' : pg.escapeLiteral(userId);
  const devices = `array[${deviceIds.map((id) => pg.escapeLiteral(id)).join(',')}]::text[]`;
  return isTheirs(user, devices, String(hasWholeDevices));
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
