/** The subjects that must not be in an audience, by reason. */

import type { AudienceIndex } from './audience-index.ts';
import type { Absence, Restriction, Targeting } from './audience-request.ts';
import { itemsOf } from './interest.ts';
import { splitKey } from './item-models.ts';
import { type Postings, rowOf } from './postings.ts';

export type Exclusion = Exclude<Absence, 'present' | 'unknown' | 'held_out' | 'no_interest'>;

/** By reason: 1 at the positions of excluded subjects. */
export type Exclusions = Partial<Record<Exclusion, Uint8Array>>;

export function findExclusions(index: AudienceIndex, targeting: Targeting): Exclusions {
  const { subjects, contacts } = index;
  const { standsFor } = subjects;
  const exclusions: Exclusions = {};
  const mark = (reason: Exclusion) => {
    exclusions[reason] ??= new Uint8Array(subjects.count);
    const marks = exclusions[reason];
    return (subject: number) => {
      marks[standsFor[subject]] = 1;
    };
  };
  const { bought, mailedSinceSeconds, mailings } = targeting.suppression;
  contacts.visitOptedOut(targeting.integrationType, subjects, mark('opted_out'));
  if (bought) visitBuyers(index, targeting, mark('bought'));
  if (mailedSinceSeconds > 0) {
    contacts.visitMailed({ sinceSeconds: mailedSinceSeconds, names: new Set(mailings) }, mark('mailed'));
  }
  if (targeting.restrictions.length > 0) exclusions.not_in_configuration = new Uint8Array(subjects.count);
  for (const restriction of targeting.restrictions) {
    restrict(index, restriction, exclusions.not_in_configuration!);
  }
  return exclusions;
}

/** Returns 1 at the positions of subjects with any reason. */
export function joinExclusions(exclusions: Exclusions, subjectCount: number): Uint8Array {
  const joined = new Uint8Array(subjectCount);
  for (const marks of Object.values(exclusions)) {
    for (let subject = 0; subject < subjectCount; subject++) joined[subject] |= marks[subject];
  }
  return joined;
}

function visitBuyers(index: AudienceIndex, { promotion }: Targeting, visit: (subject: number) => void): void {
  const { purchase, pastPurchase } = index.kinds;
  const items = new Set(promotion.flatMap((promoted) => itemsOf(index, promoted)));
  for (const postings of index.parts()) {
    for (const item of items) {
      const [start, end] = rowOf(postings, item);
      for (let entry = start; entry < end; entry++) {
        const kind = postings.kind[entry];
        if (kind === purchase || kind === pastPurchase) visit(postings.subject[entry]);
      }
    }
  }
}

/** Excludes subjects by the number of different items of the set in their events. */
function restrict(index: AudienceIndex, { itemKeys, min, max }: Restriction, marks: Uint8Array): void {
  const { standsFor, count } = index.subjects;
  const met = new Uint32Array(count);
  const lastPlace = new Int32Array(count).fill(-1);
  const { weights } = index.kinds;
  const meet = (place: number, postings: Postings, item: number) => {
    const [start, end] = rowOf(postings, item);
    for (let entry = start; entry < end; entry++) {
      if (weights[postings.kind[entry]] < 0) continue;
      const subject = standsFor[postings.subject[entry]];
      if (lastPlace[subject] === place) continue;
      lastPlace[subject] = place;
      met[subject] += 1;
    }
  };
  itemKeys.forEach((key, place) => {
    const [itemType, itemId] = splitKey(key);
    for (const item of itemsOf(index, { itemType, itemId }))
      for (const postings of index.parts()) meet(place, postings, item);
  });
  for (let subject = 0; subject < count; subject++) {
    if (met[subject] < min || met[subject] > max) marks[subject] = 1;
  }
}
