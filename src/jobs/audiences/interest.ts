/**
 * How much each item that people met speaks for a promotion, from four kinds of evidence:
 *
 *   own       the item is itself promoted
 *   coVisits  who meets the item goes on to promoted ones (RP3beta, read backwards)
 *   content   the item is like the promoted ones, more than like the average item
 *   activity  the person does anything at all, which makes any reaction likelier
 *
 * A person's interest is the sum over what they did, each event weighed by its type and halved with every half-life of age.
 * Each kind of evidence is scaled so that all people together get the same of it, whatever its unit, and then by its share; so
 * the average person scores 1. Evidence that there is none of (no co-visits of a new item) leaves its share to the others.
 * That the sum is linear makes it explain itself: every event has its part.
 */

import type { AudienceIndex } from './audience-index.ts';
import type { ItemModels, PromotedItem } from './item-models.ts';

/** Found on purchases of groceries, where neither half nor double of one share changes the order by much. */
const evidenceShares = { own: 0.5, coVisits: 1, content: 1, activity: 0.5 };

export type Evidence = keyof typeof evidenceShares;
export const evidenceNames = Object.keys(evidenceShares) as Evidence[];

/** Which events use an item up: kinds, 1 where they do. */
export type ConsumingKinds = Uint8Array;

export type Promoted = PromotedItem & {
  /** Undefined when the item may interest again whoever had it. */
  consumedBy?: ConsumingKinds;
};

/** Per item of the index, what one unit of each evidence is worth; scaled. */
export type Interest = {
  evidence: Record<Evidence, Float32Array>;
  /** Their sum. */
  weight: Float32Array;
  /** Items whose own evidence does not count from the events that use them up. */
  consumed: ReadonlyMap<number, ConsumingKinds>;
  /** Share of an event's weight that is left, by its day. */
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
  scale(evidence, strengths, countPersons(index));
  const weight = new Float32Array(itemCount);
  for (const name of evidenceNames)
    for (let item = 0; item < itemCount; item++) weight[item] += evidence[name][item];
  return { evidence, weight, consumed, decay };
}

/** Neither devices that count for a user, nor who was deleted. */
function countPersons({ people: { count, standsFor, forgotten } }: AudienceIndex): number {
  let persons = -forgotten.size;
  for (let position = 0; position < count; position++) if (standsFor[position] === position) persons += 1;
  return persons;
}

/** 1 for today and, by clocks ahead, later days. */
function decayByDay(today: number, halfLifeDays: number): Float32Array {
  const decay = new Float32Array(0x10000).fill(1);
  const perDay = 2 ** (-1 / halfLifeDays);
  for (let day = today - 1, left = perDay; day >= 0; day--, left *= perDay) decay[day] = left;
  return decay;
}

/** Positions of the promoted items in the index, also where events gave no item type. */
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

function scale(evidence: Record<Evidence, Float32Array>, strengths: Float64Array, personCount: number): void {
  const totals = evidenceNames.map((name) =>
    evidence[name].reduce((sum, weight, item) => sum + weight * Math.max(0, strengths[item]), 0),
  );
  const found = evidenceNames.filter((_, place) => totals[place] > 0);
  const shares = found.reduce((sum, name) => sum + evidenceShares[name], 0);
  evidenceNames.forEach((name, place) => {
    const factor = totals[place] > 0 ? ((evidenceShares[name] / shares) * personCount) / totals[place] : 0;
    for (let item = 0; item < strengths.length; item++) evidence[name][item] *= factor;
  });
}
