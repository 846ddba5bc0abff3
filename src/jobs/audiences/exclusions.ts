/** Who must not be in an audience, and why. */

import type { AudienceIndex } from './audience-index.ts';
import type { Absence, Restriction, Targeting } from './audience-request.ts';
import { itemsOf } from './interest.ts';
import { splitKey } from './item-models.ts';
import { type Postings, rowOf } from './postings.ts';

export type Exclusion = Exclude<Absence, 'present' | 'unknown' | 'held_out' | 'no_interest'>;

/** Per reason 1 at the positions of excluded people. */
export type Exclusions = Partial<Record<Exclusion, Uint8Array>>;

export function findExclusions(index: AudienceIndex, targeting: Targeting): Exclusions {
  const { people, contacts } = index;
  const { standsFor } = people;
  const exclusions: Exclusions = {};
  const mark = (reason: Exclusion) => {
    exclusions[reason] ??= new Uint8Array(people.count);
    const marks = exclusions[reason];
    return (person: number) => {
      marks[standsFor[person]] = 1;
    };
  };
  const { bought, mailedSinceSeconds, mailings } = targeting.suppression;
  contacts.visitOptedOut(targeting.integrationType, people, mark('opted_out'));
  if (bought) visitBuyers(index, targeting, mark('bought'));
  if (mailedSinceSeconds > 0) {
    contacts.visitMailed({ sinceSeconds: mailedSinceSeconds, names: new Set(mailings) }, mark('mailed'));
  }
  if (targeting.restrictions.length > 0) exclusions.not_in_configuration = new Uint8Array(people.count);
  for (const restriction of targeting.restrictions) {
    restrict(index, restriction, exclusions.not_in_configuration!);
  }
  return exclusions;
}

/** 1 for everybody whom anything excludes. */
export function joinExclusions(exclusions: Exclusions, personCount: number): Uint8Array {
  const joined = new Uint8Array(personCount);
  for (const marks of Object.values(exclusions)) {
    for (let person = 0; person < personCount; person++) joined[person] |= marks[person];
  }
  return joined;
}

function visitBuyers(index: AudienceIndex, { promotion }: Targeting, visit: (person: number) => void): void {
  const { purchase, pastPurchase } = index.kinds;
  const items = new Set(promotion.flatMap((promoted) => itemsOf(index, promoted)));
  for (const postings of index.parts()) {
    for (const item of items) {
      const [start, end] = rowOf(postings, item);
      for (let entry = start; entry < end; entry++) {
        const kind = postings.kind[entry];
        if (kind === purchase || kind === pastPurchase) visit(postings.person[entry]);
      }
    }
  }
}

/** Counts the different items of the set that each person met, also where events gave no item type. */
function restrict(index: AudienceIndex, { itemKeys, min, max }: Restriction, marks: Uint8Array): void {
  const { standsFor, count } = index.people;
  const met = new Uint32Array(count);
  const lastPlace = new Int32Array(count).fill(-1);
  const meet = (place: number, postings: Postings, item: number) => {
    const [start, end] = rowOf(postings, item);
    for (let entry = start; entry < end; entry++) {
      const person = standsFor[postings.person[entry]];
      if (lastPlace[person] === place) continue;
      lastPlace[person] = place;
      met[person] += 1;
    }
  };
  itemKeys.forEach((key, place) => {
    const [itemType, itemId] = splitKey(key);
    for (const item of itemsOf(index, { itemType, itemId }))
      for (const postings of index.parts()) meet(place, postings, item);
  });
  for (let person = 0; person < count; person++) {
    if (met[person] < min || met[person] > max) marks[person] = 1;
  }
}
