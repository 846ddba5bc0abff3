/** A small planted world that every model can learn: two themes, one per subject. */

import {
  createFeatureMatrixBuilder,
  type FeatureMatrix,
  featuresOf,
  type ItemContent,
} from '../../../src/ranking/models/features.ts';
import {
  createInteractionsBuilder,
  type InteractionEvent,
  type Interactions,
} from '../../../src/ranking/models/interactions.ts';
import { createItemKeys } from '../../../src/ranking/models/item-keys.ts';
import type { IndexMapping } from '../../../src/ranking/models/model.ts';

export const nowSeconds = 1_750_000_000;
export const themeSize = 10;

export type World = { itemCount: number; interactions: Interactions; matrix: FeatureMatrix };

/**
 * Items 0…9 are boats, 10…19 are lamps. Each of 12 subjects views seven items of one theme; item 0
 * is the most viewed, also a day before. All have ignored impressions of item 5 before, and subjects that view item 0
 * have an impression of it.
 */
export function plantedWorld(): World {
  const contents = Array.from({ length: themeSize * 2 }, (_, item): ItemContent => {
    const theme = item < themeSize ? 'boats' : 'lamps';
    return { title: `${theme} m${item}`, categories: [`shop/${theme}`], tags: [theme] };
  });
  const events: InteractionEvent[] = [];
  for (let subject = 0; subject < 12; subject++) {
    const first = subject % 2 === 0 ? 0 : themeSize;
    events.push(
      ...[5, first].map((item) => shown(`subject-${subject}`, item, nowSeconds - 1000 * subject - 9)),
    );
    events.push(view(`subject-${subject}`, first, nowSeconds - 1000 * subject - 86_400));
    for (let step = 0; step < 7; step++) {
      const item = first + (step === 0 ? 0 : (subject * 3 + step) % themeSize);
      events.push(view(`subject-${subject}`, item, nowSeconds - 1000 * subject + step));
    }
  }
  return worldOf(contents, events);
}

export function view(subjectKey: string, item: number, timeSeconds: number): InteractionEvent {
  const pageType = item < themeSize ? 'home' : 'detail';
  return { subjectKey, itemId: `item-${item}`, eventType: 'detail_pageview', timeSeconds, pageType };
}

export function shown(subjectKey: string, item: number, timeSeconds: number): InteractionEvent {
  return { subjectKey, itemId: `item-${item}`, eventType: 'impression', timeSeconds };
}

export function worldOf(contents: readonly ItemContent[], events: readonly InteractionEvent[]): World {
  const itemKeys = createItemKeys();
  const features = createFeatureMatrixBuilder();
  contents.forEach((content, item) => {
    features.add(itemKeys.intern('product', `item-${item}`), featuresOf(content));
  });
  const interactions = createInteractionsBuilder({ itemKeys });
  for (const event of events) interactions.add(event);
  return {
    itemCount: contents.length,
    interactions: interactions.finish(),
    matrix: features.finish(contents.length),
  };
}

/** Categories of the items: their themes. */
export const themesOf = (itemCount: number) => ({
  keys: ['boats', 'lamps'],
  ofItem: Int32Array.from({ length: itemCount }, (_, item) => Number(item >= themeSize)),
});

/** The catalogue as it was at training time. */
export function identityMapping(itemCount: number): IndexMapping {
  const indexes = Int32Array.from({ length: itemCount }, (_, index) => index);
  return { localOf: indexes, itemIndexOf: indexes.slice() };
}
