/** Explains a subject's score: the items of its events, each with its part of the score. */

import type { AudienceIndex } from './audience-index.ts';
import { type Evidence, evidenceNames, type Interest } from './interest.ts';
import { splitKey } from './item-models.ts';
import { type Postings, rowOf } from './postings.ts';

/** The part of one item; the parts of all items add up to the score. */
export type InterestPart = {
  itemType: string;
  itemId: string;
  score: number;
  /** The score by evidence. */
  evidence: Record<Evidence, number>;
  eventCount: number;
};

/** Returns the parts, greatest first. @param subject The position that counts. */
export function explainInterest(index: AudienceIndex, interest: Interest, subject: number): InterestPart[] {
  const parts = new Map<number, InterestPart>();
  for (const postings of index.parts()) {
    for (let item = 0; item < interest.weight.length; item++)
      addItem(postings, item, { index, interest, subject, parts });
  }
  return [...parts.values()].sort((a, b) => b.score - a.score || (a.itemId < b.itemId ? -1 : 1));
}

type Explaining = {
  index: AudienceIndex;
  interest: Interest;
  subject: number;
  parts: Map<number, InterestPart>;
};

function addItem(postings: Postings, item: number, { index, interest, subject, parts }: Explaining): void {
  const { standsFor } = index.subjects;
  const [start, end] = rowOf(postings, item);
  for (let entry = start; entry < end; entry++) {
    const kind = postings.kind[entry];
    if (standsFor[postings.subject[entry]] !== subject || kind === index.kinds.pastPurchase) continue;
    const [itemType, itemId] = splitKey(index.items.keys[item]);
    const part = parts.get(item) ?? { itemType, itemId, score: 0, evidence: noEvidence(), eventCount: 0 };
    parts.set(item, part);
    const strength = interest.decay[postings.day[entry]] * index.kinds.weights[kind];
    const isUsedUp = interest.consumed.get(item)?.[kind] === 1;
    for (const name of evidenceNames) {
      if (name === 'own' && isUsedUp) continue;
      part.evidence[name] += strength * interest.evidence[name][item];
      part.score += strength * interest.evidence[name][item];
    }
    part.eventCount += 1;
  }
}

const noEvidence = (): Record<Evidence, number> => ({ own: 0, coVisits: 0, content: 0, activity: 0 });
