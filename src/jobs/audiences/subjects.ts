/**
 * The subjects that an audience can hold: users and devices by dense position.
 *
 * A device counts as the last user seen with it, so that each person is in an audience once. Events
 * of the device keep its own position and count for that user when they are read.
 *
 * A public event links no device to a user. It leaves a claim, which passes on opt-outs only
 * (contacts.ts).
 */

import { isPlaceholder } from '../../deployment/deployment.ts';
import { grow } from '../../ranking/models/arrays/rows.ts';

/** A user or device of this id is no subject. */
const anonymousId = 'anonymous';

/** About 170 bytes each. Further subjects are in no audience until the index is built anew. */
const mostSubjects = 10_000_000;

/** About 50 bytes each; further claims are dropped. */
const mostClaims = 10_000_000;

/** Above any position, so that a device and a user make one number. */
const claimFactor = 2 ** 26;

const daySeconds = 86_400;

export type Subject = { id: string; userType: 'user_id' | 'device_id' };

export type EventSubject = {
  userId?: string;
  deviceId?: string;
  /** Unix seconds, not in the order of reading [later than all others]. */
  arrivedAtSeconds?: number;
  /** Whether anyone may have sent the event, with a write key [false]. */
  isPublic?: boolean;
  /** Ends the link of the device, unless anyone may have sent it [false]. */
  signsOut?: boolean;
};

export type Subjects = {
  readonly count: number;
  /** Position → the position of the subject that it counts for; may be longer than `count`. */
  readonly standsFor: Int32Array;
  /**
   * Returns the position of the event's subject, a new one at first sight; -1 for an anonymous
   * event. Links the device to the user unless a later event linked it to another one; a public
   * event only claims the link.
   */
  admit(subject: EventSubject): number;
  visitClaims(visit: (device: number, user: number) => void): void;
  /** Returns the position that counts for a subject, or -1. */
  find(subject: Subject): number;
  at(position: number): Subject;
  /** Forgets deleted subjects. They keep their positions without a name, and must not appear. */
  forget(isGone: (key: string) => boolean): void;
  /**
   * Forgets subjects and links that no event has confirmed since a day. Keeps the subjects with an
   * opt-in or opt-out, and the user or device that it also applies to.
   *
   * @param beforeDay Days since 1970.
   */
  forgetUnseen(beforeDay: number, hasStatement: (position: number) => boolean): void;
  readonly forgotten: ReadonlySet<number>;
};

/** @param placeholderIds IDs that are nobody's, besides empty quotes and zeros. */
export function createSubjects(placeholderIds: ReadonlySet<string> = new Set()): Subjects {
  const keys: string[] = [];
  const positions = new Map<string, number>();
  const forgotten = new Set<number>();
  let standsFor = new Int32Array(1024);
  /** By position: Unix seconds of the last arrival. */
  let seenAt = new Float64Array(1024);
  /** By position of a device: when an event linked it to its user. */
  let linkedAt = new Float64Array(1024);
  const claims = createClaims();

  const intern = (key: string): number => {
    if (keys.length >= mostSubjects || isPlaceholder(placeholderIds, key.slice(2))) return -1;
    const position = keys.push(key) - 1;
    positions.set(key, position);
    standsFor = grow(standsFor, keys.length);
    seenAt = grow(seenAt, keys.length);
    linkedAt = grow(linkedAt, keys.length);
    standsFor[position] = position;
    return position;
  };
  const see = (key: string, atSeconds: number): number => {
    const position = positions.get(key) ?? intern(key);
    if (position >= 0) seenAt[position] = Math.max(seenAt[position], atSeconds);
    return position;
  };
  /** The position keeps what the user did; the device goes on under another one. */
  const leaveUser = (device: number, atSeconds: number): void => {
    if (standsFor[device] === device || atSeconds < linkedAt[device]) return;
    const key = keys[device];
    keys[device] = '';
    const next = intern(key);
    if (next < 0) positions.delete(key);
    else linkedAt[next] = seenAt[next] = atSeconds;
  };
  const forget = (isGone: (key: string, position: number) => boolean): void => {
    for (const [key, position] of positions) {
      if (!isGone(key, position)) continue;
      positions.delete(key);
      keys[position] = '';
      forgotten.add(position);
    }
    for (let position = 0; position < keys.length; position++) {
      if (forgotten.has(position) || forgotten.has(standsFor[position])) standsFor[position] = position;
      if (keys[position] === '' && standsFor[position] === position) forgotten.add(position);
    }
    claims.deleteWhere((device, user) => forgotten.has(device) || forgotten.has(user));
  };

  return {
    get count() {
      return keys.length;
    },
    get standsFor() {
      return standsFor;
    },
    admit({ userId, deviceId, arrivedAtSeconds = Number.POSITIVE_INFINITY, isPublic = false, signsOut }) {
      const user = isNamed(userId) ? see(`u:${userId}`, arrivedAtSeconds) : -1;
      if (!isNamed(deviceId)) return user;
      const device = see(`d:${deviceId}`, arrivedAtSeconds);
      if (signsOut) {
        if (device >= 0 && !isPublic) leaveUser(device, arrivedAtSeconds);
        return user < 0 ? device : user;
      }
      if (user < 0) return device;
      if (isPublic) claims.add(device, user, arrivedAtSeconds);
      else if (device >= 0 && arrivedAtSeconds >= linkedAt[device]) {
        standsFor[device] = user;
        linkedAt[device] = arrivedAtSeconds;
      }
      return user;
    },
    find: (subject) => standsFor[positions.get(keyOf(subject)) ?? -1] ?? -1,
    at: (position) => subjectOf(keys[position]),
    visitClaims: claims.visit,
    forgotten,
    forget,
    forgetUnseen(beforeDay, hasStatement) {
      const before = beforeDay * daySeconds;
      const links = { standsFor, linkedAt, deviceCount: keys.length, claims };
      const kept = dropUnseenLinks(links, before, hasStatement);
      forget((_, position) => seenAt[position] < before && !hasStatement(position) && !kept.has(position));
    },
  };
}

type Links = {
  standsFor: Int32Array;
  linkedAt: Float64Array;
  deviceCount: number;
  claims: ReturnType<typeof createClaims>;
};

/** Drops links and claims from before a time, except with a statement; returns the subjects of those. */
function dropUnseenLinks(
  { standsFor, linkedAt, deviceCount, claims }: Links,
  before: number,
  hasStatement: (position: number) => boolean,
): ReadonlySet<number> {
  const kept = new Set<number>();
  const keepsLink = (device: number, user: number): boolean => {
    const isKept = hasStatement(device) || hasStatement(user);
    if (isKept) kept.add(device).add(user);
    return isKept;
  };
  for (let device = 0; device < deviceCount; device++) {
    const user = standsFor[device];
    if (user === device || linkedAt[device] >= before) continue;
    if (!keepsLink(device, user)) standsFor[device] = device;
  }
  claims.deleteWhere((device, user, at) => at < before && !keepsLink(device, user));
  return kept;
}

/** The subject as one string: `u:` with a user ID, or `d:` with a device ID. */
export const keyOf = ({ id, userType }: Subject): string => (userType === 'user_id' ? 'u:' : 'd:') + id;

function subjectOf(key: string): Subject {
  return { id: key.slice(2), userType: key.startsWith('u:') ? 'user_id' : 'device_id' };
}

function isNamed(id: string | undefined): id is string {
  return id !== undefined && id !== '' && id !== anonymousId;
}

/** Devices and users in public events, with the last arrival in Unix seconds. */
function createClaims() {
  const seenAt = new Map<number, number>();
  return {
    add(device: number, user: number, arrivedAtSeconds: number): void {
      const key = device * claimFactor + user;
      if (device < 0 || (seenAt.size >= mostClaims && !seenAt.has(key))) return;
      seenAt.set(key, Math.max(arrivedAtSeconds, seenAt.get(key) ?? 0));
    },
    visit(visit: (device: number, user: number) => void): void {
      for (const key of seenAt.keys()) visit(Math.floor(key / claimFactor), key % claimFactor);
    },
    deleteWhere(isGone: (device: number, user: number, atSeconds: number) => boolean): void {
      for (const [key, atSeconds] of seenAt)
        if (isGone(Math.floor(key / claimFactor), key % claimFactor, atSeconds)) seenAt.delete(key);
    },
  };
}
