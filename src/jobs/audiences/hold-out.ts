/**
 * Takes an audience from a ranking and holds some people out of it, so that what reaching people brings can be measured.
 *
 * Who is held out depends on the salt, the audience's name and the person alone: the same people every time, others for another
 * name, and when the share grows nobody leaves the hold-out.
 */

import type { AudienceMember, NamedTargeting } from './audience-request.ts';
import type { People, Person } from './people.ts';
import type { Ranking } from './rank.ts';

export type HoldOut = { share: number; salt: string; audienceName: string };

export function holdOutOf({ holdOutShare: share, salt, audienceName }: NamedTargeting): HoldOut {
  return { share, salt, audienceName };
}

export type Taken = { members: AudienceMember[]; heldOut: AudienceMember[] };

/** The first `size` people who are not held out, and those who are held out from among them. */
export function take(ranking: Ranking, people: People, size: number, holdOut: HoldOut): Taken {
  const taken: Taken = { members: [], heldOut: [] };
  for (let place = 0; place < ranking.people.length && taken.members.length < size; place++) {
    const member = { ...people.at(ranking.people[place]), score: ranking.scores[place] };
    (isHeldOut(member, holdOut) ? taken.heldOut : taken.members).push(member);
  }
  return taken;
}

/** How many of the people, by position, are not held out. */
export function countMembers(positions: Int32Array, people: People, holdOut: HoldOut): number {
  return positions.reduce((count, one) => count + Number(!isHeldOut(people.at(one), holdOut)), 0);
}

export function isHeldOut(person: Person, { share, salt, audienceName }: HoldOut): boolean {
  if (share <= 0) return false;
  return unitHash(`${salt}\u0000${audienceName}\u0000${person.userType}\u0000${person.id}`) < share;
}

/** 0 to below 1: FNV-1a over UTF-16 units with a finisher (murmur3), a hundredth of the cost of a cryptographic hash. */
function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
