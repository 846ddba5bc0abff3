/**
 * Who an audience can hold: users and devices by dense position.
 *
 * A device counts as the last user seen with it, so that each person stands in an audience once. What the device did before
 * keeps its own position and is counted for that user when it is read.
 *
 * An event that nobody vouches for makes no device a user's: it leaves a claim, through which opt-outs alone are passed on.
 */

import { grow } from '../../ranking/models/arrays/rows.ts';
import { createClaims } from './claims.ts';

/** Nobody in particular: nothing is kept under this id, whether a device or a user is called so. */
const anonymousId = 'anonymous';

/** About 170 bytes each. Who comes later is in no audience until the index is built anew. */
const mostPeople = 10_000_000;

const daySeconds = 86_400;

export type Subject = {
  userId?: string;
  deviceId?: string;
  /** When the event arrived, which is not the order of reading: Unix seconds. Absent: after those before. */
  arrivedAtSeconds?: number;
  /** From a caller whom nobody vouches for [false]. */
  isPublic?: boolean;
};

export type Person = { id: string; userType: 'user_id' | 'device_id' };

export type People = {
  readonly count: number;
  /** Position → position of who it counts for; may be longer than `count`. */
  readonly standsFor: Int32Array;
  /**
   * The position of whoever acts, made at first sight; the device is linked to the user, unless another one was seen with it
   * later; by a public event it is only claimed. -1 for nobody in particular.
   */
  admit(subject: Subject): number;
  /** Calls `visit` for each device that a public event said to be a user's, by their positions. */
  visitClaims(visit: (device: number, user: number) => void): void;
  /** The position that counts for a person, or -1. */
  find(person: Person): number;
  at(position: number): Person;
  /** Whoever was deleted keeps a place without a name, and must not appear. */
  forget(isGone: (key: string) => boolean): void;
  /**
   * Whoever was not seen since a day, and whose devices it is by what arrived before; but for those who `said` whether they want
   * to be reached, and the user or the device that this means too.
   *
   * @param beforeDay Days since 1970.
   * @param said By position.
   */
  forgetUnseen(beforeDay: number, said: (position: number) => boolean): void;
  readonly forgotten: ReadonlySet<number>;
};

const keyOf = ({ id, userType }: Person): string => (userType === 'user_id' ? 'u:' : 'd:') + id;

export function createPeople(): People {
  const keys: string[] = [];
  const positions = new Map<string, number>();
  const forgotten = new Set<number>();
  let standsFor = new Int32Array(1024);
  /** By position, when whoever it is was seen last, in the order of arrival. */
  let seenAt = new Float64Array(1024);
  /** By position of a device, when its user was seen with it. */
  let linkedAt = new Float64Array(1024);
  const claims = createClaims();

  const intern = (key: string): number => {
    const known = positions.get(key);
    if (known !== undefined) return known;
    if (keys.length >= mostPeople) return -1;
    const position = keys.push(key) - 1;
    positions.set(key, position);
    standsFor = grow(standsFor, keys.length);
    seenAt = grow(seenAt, keys.length);
    linkedAt = grow(linkedAt, keys.length);
    standsFor[position] = position;
    return position;
  };
  const see = (key: string, atSeconds: number): number => {
    const position = intern(key);
    if (position >= 0) seenAt[position] = Math.max(seenAt[position], atSeconds);
    return position;
  };
  const forget = (isGone: (key: string, position: number) => boolean): void => {
    for (const [key, position] of positions) {
      if (!isGone(key, position)) continue;
      positions.delete(key);
      keys[position] = '';
      forgotten.add(position);
    }
    /** A device that is forgotten counts no longer for its user, nor one that stays for a user who is forgotten. */
    for (let position = 0; position < keys.length; position++)
      if (forgotten.has(position) || forgotten.has(standsFor[position])) standsFor[position] = position;
    claims.forget((device, user) => forgotten.has(device) || forgotten.has(user));
  };

  return {
    get count() {
      return keys.length;
    },
    get standsFor() {
      return standsFor;
    },
    admit({ userId, deviceId, arrivedAtSeconds = Number.POSITIVE_INFINITY, isPublic = false }) {
      const user = isSomebody(userId) ? see(`u:${userId}`, arrivedAtSeconds) : -1;
      if (!isSomebody(deviceId)) return user;
      const device = see(`d:${deviceId}`, arrivedAtSeconds);
      if (user < 0) return device;
      if (isPublic) claims.add(device, user, arrivedAtSeconds);
      else if (device >= 0 && arrivedAtSeconds >= linkedAt[device]) {
        standsFor[device] = user;
        linkedAt[device] = arrivedAtSeconds;
      }
      return user;
    },
    find(person) {
      return standsFor[positions.get(keyOf(person)) ?? -1] ?? -1;
    },
    at(position) {
      const key = keys[position];
      return { id: key.slice(2), userType: key.startsWith('u:') ? 'user_id' : 'device_id' };
    },
    visitClaims: claims.visit,
    forgotten,
    forget,
    forgetUnseen(beforeDay, said) {
      const before = beforeDay * daySeconds;
      /** Whom a statement of another one means. */
      const meant = new Set<number>();
      for (let device = 0; device < keys.length; device++) {
        const user = standsFor[device];
        if (user === device || linkedAt[device] >= before) continue;
        if (said(device) || said(user)) meant.add(device).add(user);
        else standsFor[device] = device;
      }
      claims.forgetUnseen(before, said, (device, user) => meant.add(device).add(user));
      forget((_, position) => seenAt[position] < before && !said(position) && !meant.has(position));
    },
  };
}

function isSomebody(id: string | undefined): id is string {
  return id !== undefined && id !== '' && id !== anonymousId;
}
