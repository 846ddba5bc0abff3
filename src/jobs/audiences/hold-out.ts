/**
 * Takes an audience from a ranking without its hold-out, which measures the effect of contacting
 * the others.
 *
 * The hold-out depends only on the salt, the audience's name and the subject: it is the same each
 * time and different for another name, and a larger share contains the smaller one.
 */

import type { AudienceMember, NamedTargeting } from './audience-request.ts';
import type { Ranking } from './rank.ts';
import type { Subject, Subjects } from './subjects.ts';

export type HoldOut = { share: number; salt: string; audienceName: string };

export function holdOutOf({ holdOutShare: share, salt, audienceName }: NamedTargeting): HoldOut {
  return { share, salt, audienceName };
}

export type Taken = { members: AudienceMember[]; heldOut: AudienceMember[] };

/** Returns the first `size` eligible subjects that are not held out, and the held-out ones among them. */
export function take(
  ranking: Ranking,
  subjects: Subjects,
  size: number,
  holdOut: HoldOut,
  isEligible: (member: AudienceMember) => boolean = () => true,
): Taken {
  const taken: Taken = { members: [], heldOut: [] };
  for (let place = 0; place < ranking.subjects.length && taken.members.length < size; place++) {
    const member = { ...subjects.at(ranking.subjects[place]), score: ranking.scores[place] };
    if (!isEligible(member)) continue;
    (isHeldOut(member, holdOut) ? taken.heldOut : taken.members).push(member);
  }
  return taken;
}

export function countMembers(positions: Int32Array, subjects: Subjects, holdOut: HoldOut): number {
  return positions.reduce((count, one) => count + Number(!isHeldOut(subjects.at(one), holdOut)), 0);
}

export function isHeldOut(subject: Subject, { share, salt, audienceName }: HoldOut): boolean {
  if (share <= 0) return false;
  return unitHash(`${salt}\u0000${audienceName}\u0000${subject.userType}\u0000${subject.id}`) < share;
}

/** Returns 0 to below 1: FNV-1a with murmur3's finisher, 100 times faster than SHA. */
function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
