/** Baskets as events to learn from, and as questions: each item of the later ones is left out once. */

import { createDatasetBuilder } from '../../../src/jobs/evaluation/dataset.ts';
import type { ItemContent } from '../../../src/ranking/models/features.ts';

export type Basket = {
  person: string;
  atSeconds: number;
  items: readonly { id: string; content: ItemContent }[];
};

export type Question = {
  /** Number of the basket. */
  basket: number;
  others: number[];
  leftOut: number;
};

export type BasketWorld = ReturnType<typeof buildWorld>;

/** Items that only later baskets have cannot be predicted. */
export function buildWorld(baskets: readonly Basket[], testShare: number) {
  const byTime = baskets.toSorted((a, b) => a.atSeconds - b.atSeconds);
  const cut = Math.floor(byTime.length * (1 - testShare));
  const builder = createDatasetBuilder();
  for (const { person, atSeconds, items } of byTime.slice(0, cut))
    for (const { id } of items)
      builder.add({ subjectKey: person, itemId: id, eventType: 'purchase', timeSeconds: atSeconds });
  for (const { items } of byTime.slice(0, cut))
    for (const { id, content } of items) builder.describe(id, content);
  const { interactions, features, itemIds } = builder.finish();
  const locals = new Map(itemIds.map((id, local) => [id, local]));
  const questions = byTime.slice(cut).flatMap(({ items }, basket): Question[] => {
    const known = [...new Set(items.map(({ id }) => locals.get(id)))].filter((local) => local !== undefined);
    if (known.length < 2) return [];
    return known.map((leftOut) => ({ basket, leftOut, others: known.filter((one) => one !== leftOut) }));
  });
  return { interactions, features, questions };
}
