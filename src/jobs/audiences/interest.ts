/**
 * The weight of each item's events for a promotion, from four kinds of evidence:
 *
 *   own       the item is promoted
 *   coVisits  the item leads to promoted ones (RP3beta, reversed)
 *   content   the item resembles the promoted ones more than the average item
 *   activity  any event, because active subjects react more often
 *
 * A subject's interest is the sum over its events, each weighted by type and halved with each
 * half-life of age. Each kind of evidence is scaled to the same total over all subjects, then by
 * its share, so that the average subject scores 1. Missing evidence (a new item has no co-visits)
 * leaves its share to the others. Because the sum is linear, each event has its part of the score,
 * which explanations show.
 */

import type { AudienceIndex } from './audience-index.ts';
import type { ItemModels, PromotedItem } from './item-models.ts';

/** Measured on grocery purchases, where half or double of any share hardly changes the order. */
const evidenceShares = { own: 0.5, coVisits: 1, content: 1, activity: 0.5 };

export type Evidence = keyof typeof evidenceShares;
export const evidenceNames = Object.keys(evidenceShares) as Evidence[];

/** By event kind: 1 when such an event consumes the item. */
export type ConsumingKinds = Uint8Array;

export type Promoted = PromotedItem & {
  /** Absent when no event consumes the item. */
  consumedBy?: ConsumingKinds;
};

export type Interest = {
  /** By item of the index: the scaled weight of one event. */
  evidence: Record<Evidence, Float32Array>;
  /** The sum of all evidence. */
  weight: Float32Array;
  /** By consumable item: the events that add no own evidence. */
  consumed: ReadonlyMap<number, ConsumingKinds>;
  /** By day: the share of an event's weight that remains. */
  decay: Float32Array;
};

export type InterestOptions = {
  index: AudienceIndex;
  models: ItemModels | undefined;
  promotion: readonly Promoted[];
  halfLifeDays: number;
  /** Days since 1970. */
  today: number;
};

export function findInterest({ index, models, promotion, halfLifeDays, today }: InterestOptions): Interest {
  const itemCount = index.items.keys.length;
  const decay = decayByDay(today, halfLifeDays);
  const { own, consumed } = ownEvidence(index, promotion);
  const evidence: Record<Evidence, Float32Array> = {
    own,
    ...modelEvidence(index, models, promotion),
    activity: new Float32Array(itemCount).fill(1),
  };
  const strengths = index.strengthOfItems(today, decay);
  scale(evidence, strengths, countSubjects(index));
  const weight = new Float32Array(itemCount);
  for (const name of evidenceNames)
    for (let item = 0; item < itemCount; item++) weight[item] += evidence[name][item];
  return { evidence, weight, consumed, decay };
}

/** Leaves out devices that count for a user, and deleted subjects. */
function countSubjects({ subjects }: AudienceIndex): number {
  const { count, standsFor, forgotten } = subjects;
  let own = -forgotten.size;
  for (let position = 0; position < count; position++) if (standsFor[position] === position) own += 1;
  return own;
}

/** 1 for today and for later days, which come from clocks that are ahead. */
function decayByDay(today: number, halfLifeDays: number): Float32Array {
  const decay = new Float32Array(0x10000).fill(1);
  const perDay = 2 ** (-1 / halfLifeDays);
  for (let day = today - 1, left = perDay; day >= 0; day--, left *= perDay) decay[day] = left;
  return decay;
}

/** Returns the positions of an item, with its type and without. */
export function itemsOf({ items }: AudienceIndex, { itemType, itemId }: PromotedItem): number[] {
  return [items.find(itemId, itemType), items.find(itemId, '')].filter((item) => item >= 0);
}

function ownEvidence(index: AudienceIndex, promotion: readonly Promoted[]) {
  const own = new Float32Array(index.items.keys.length);
  const consumed = new Map<number, ConsumingKinds>();
  for (const promoted of promotion) {
    for (const item of itemsOf(index, promoted)) {
      own[item] = 1;
      if (promoted.consumedBy) consumed.set(item, promoted.consumedBy);
    }
  }
  return { own, consumed };
}

function modelEvidence(
  { items }: AudienceIndex,
  models: ItemModels | undefined,
  promotion: readonly Promoted[],
) {
  const coVisits = new Float32Array(items.keys.length);
  const content = new Float32Array(items.keys.length);
  const weights = models?.weigh(promotion);
  const locals = models?.localsOf(items.keys) ?? new Int32Array(0);
  for (let item = 0; item < items.keys.length && weights; item++) {
    if (locals[item] < 0) continue;
    coVisits[item] = weights.coVisits[locals[item]];
    content[item] = weights.content[locals[item]];
  }
  return { coVisits, content };
}

function scale(
  evidence: Record<Evidence, Float32Array>,
  strengths: Float64Array,
  subjectCount: number,
): void {
  const totals = evidenceNames.map((name) =>
    evidence[name].reduce((sum, weight, item) => sum + weight * Math.max(0, strengths[item]), 0),
  );
  const found = evidenceNames.filter((_, place) => totals[place] > 0);
  const shares = found.reduce((sum, name) => sum + evidenceShares[name], 0);
  evidenceNames.forEach((name, place) => {
    const factor = totals[place] > 0 ? ((evidenceShares[name] / shares) * subjectCount) / totals[place] : 0;
    for (let item = 0; item < strengths.length; item++) evidence[name][item] *= factor;
  });
}
